// Commands under a lock on a machine that gives them next to no processor time, when the network falls silent. Either they are dead in time, or the run has
// said before it started them how late that may be, and keeps it.
//
// By hand, longer and with more sessions: script/starvation.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <regex>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "run_command.h"
#include "support/fault_proxy.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

struct Starvation {
  int niceness = 0;
  int spinners = 0;  // processes at niceness 0 that never sleep
  std::chrono::seconds session{};
  bool privileged = false;  // may raise its own priority; needs root, and that root may (not so in most containers)
};

bool may_raise_priorities() {
  constexpr std::uint64_t kSysNice = 1U << 23U;
  std::istringstream status(content("/proc/self/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("CapEff:")) return (std::stoull(line.substr(7), nullptr, 16) & kSysNice) != 0;
  }
  return false;
}

// "2s_nice19_16spinners_unprivileged"
std::string name_of(const Starvation& starvation) {
  return std::to_string(starvation.session.count()) + "s_nice" + std::to_string(starvation.niceness) + "_" +
         std::to_string(starvation.spinners) + "spinners_" + (starvation.privileged ? "privileged" : "unprivileged");
}

int number_from_environment(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}

// The first words of a command line that runs the rest like that.
std::vector<std::string> starved(const Starvation& starvation) {
  std::vector<std::string> words{"nice", "-n", std::to_string(starvation.niceness)};
  if (!starvation.privileged && ::geteuid() == 0) {
    for (const auto* word : {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"}) {
      words.emplace_back(word);
    }
  }
  return words;
}

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

struct Signs {
  std::int64_t pid = 0;
  std::int64_t last = 0;  // when it was last alive, CLOCK_BOOTTIME
};

// What the ticker's processes have written of themselves; all 0 of one that has not begun.
std::array<Signs, 3> signs_of_life(const std::filesystem::path& file) {
  std::array<std::int64_t, 6> numbers{};
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(numbers.data()), sizeof numbers);
  return {{{numbers[3], numbers[0]}, {numbers[4], numbers[1]}, {numbers[5], numbers[2]}}};
}

bool all_tick(const std::filesystem::path& file) {
  const auto signs = signs_of_life(file);
  return std::none_of(signs.begin(), signs.end(), [](const Signs& sign) { return sign.last == 0 || sign.pid == 0; });
}

// It was sent SIGKILL, so that it cannot execute another instruction; but it has not had the processor to be gone.
bool is_dying(pid_t pid) {
  constexpr std::uint64_t kKill = 1U << (SIGKILL - 1);
  std::istringstream status(content("/proc/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(status, line);) {
    const bool pending = line.starts_with("SigPnd:") || line.starts_with("ShdPnd:");
    if (pending && (std::stoull(line.substr(7), nullptr, 16) & kKill) != 0) return true;
  }
  constexpr std::uint64_t kExiting = 0x4;  // PF_EXITING
  const auto stat = content("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string skipped;
  for (int i = 0; i < 6; ++i) fields >> skipped;
  std::uint64_t flags = kExiting;  // gone meanwhile
  fields >> flags;
  return (flags & kExiting) != 0;
}

class Round {
 public:
  explicit Round(const Starvation& starvation) : starvation_(starvation), run_(options(starvation)) {}

  bool begun() const { return all_tick(ticks()); }
  // Once it has begun: what the run has said of itself.
  void note_what_was_said() {
    static const std::regex sentence("the command may run for ([0-9.]+)s after another client has the lock");
    const auto said = errors();
    if (std::smatch found; std::regex_search(said, found, sentence)) {
      bound_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::stod(found[1])));
    }
  }
  void fall_silent() { proxy_.black_hole(); }
  // Waits in line, and looks whether anything of the holder before still lives when it is granted.
  void rival() {
    const auto lease = rival_.mutex(name_).acquire();
    granted_ = Clock::now();
    std::this_thread::sleep_for(bound_);  // nothing less was promised
    for (const auto& sign : signs_of_life(ticks())) {
      const auto pid = static_cast<pid_t>(sign.pid);
      // Without privileges nothing can hurry what is dying.
      const bool gone = !runs(pid) || (!(starvation_.privileged && may_raise_priorities()) && is_dying(pid));
      if (!gone) ++alive_;
    }
  }
  // After rival().
  void judge() {
    EXPECT_EQ(run_.wait(kRunPatience), 76) << errors();
    for (const auto& sign : signs_of_life(ticks())) {
      spare_ = std::min(spare_, granted_ - Clock::time_point(std::chrono::nanoseconds(sign.last)));
    }
    EXPECT_TRUE(alive_ == 0 && spare_ > -bound_)
        << alive_ << " processes lived when the rival had been granted and " << seconds(bound_)
        << " s were over, the last sign of life came " << seconds(spare_) << " s before the grant; " << errors();
  }
  Clock::duration spare() const { return spare_; }
  Clock::duration bound() const { return bound_; }
  std::string errors() const { return content(dir_ / "stderr"); }

 private:
  std::filesystem::path ticks() const { return dir_ / "ticks"; }
  ProcessOptions options(const Starvation& starvation) {
    std::filesystem::permissions(dir_.path(), std::filesystem::perms::all);  // for another user
    auto argv = starved(starvation);
    const auto session = std::to_string(starvation.session.count()) + "s";
    argv.insert(argv.end(), {HOLDFAST_COMMAND, "run", "--url", "zk://" + proxy_.address(), "--session-timeout", session,
                             name_, "--", RUN_TICKER, ticks().string()});
    return {.argv = std::move(argv), .working_dir = dir_.path(), .stderr_file = dir_ / "stderr"};
  }

  const Starvation starvation_;
  TempDir dir_{"starved"};
  FaultProxy proxy_{engine().port()};
  std::string name_ = fresh_name();
  Process run_;
  Client rival_ = Client::connect(engine_url(), {.connection_timeout = kRunPatience});
  Clock::time_point granted_{};
  int alive_ = 0;
  Clock::duration spare_ = Clock::duration::max();
  Clock::duration bound_{};  // how long it may live on
};

class RunStarved : public ::testing::TestWithParam<Starvation> {};

TEST_P(RunStarved, is_dead_before_a_rival_is_granted_or_as_late_as_was_said_beforehand) {
  const auto& starvation = GetParam();
  if (starvation.privileged && !may_raise_priorities()) {
    std::puts("this user may not raise priorities: the same as without privileges");
  }
  const int at_once = number_from_environment("HOLDFAST_STARVED_AT_ONCE", 4);
  const int rounds = number_from_environment("HOLDFAST_STARVED_ROUNDS", at_once);
  auto spare = Clock::duration::max();
  auto bound = Clock::duration::zero();
  for (int done = 0; done < rounds; done += at_once) {
    std::vector<std::unique_ptr<Round>> batch;
    for (int i = done; i < std::min(done + at_once, rounds); ++i) batch.push_back(std::make_unique<Round>(starvation));
    for (const auto& round : batch) {
      ASSERT_TRUE(eventually(kRunPatience, [&] { return round->begun(); })) << round->errors();
      round->note_what_was_said();
    }
    std::vector<std::unique_ptr<Process>> spinners;
    for (int i = 0; i < starvation.spinners; ++i) {
      spinners.push_back(std::make_unique<Process>(std::vector<std::string>{"sh", "-c", "while :; do :; done"}));
    }
    std::vector<std::thread> rivals;
    rivals.reserve(batch.size());
    for (const auto& round : batch) rivals.emplace_back([&round] { round->rival(); });
    for (const auto& round : batch) round->fall_silent();
    for (auto& rival : rivals) rival.join();
    spinners.clear();
    for (const auto& round : batch) {
      round->judge();
      spare = std::min(spare, round->spare());
      bound = std::max(bound, round->bound());
    }
  }
  if (starvation.privileged && may_raise_priorities()) {
    EXPECT_EQ(bound, 0s) << "it can be in time, and says that it cannot";
  }
  std::printf(
      "%d rounds; the closest was dead %.3f s before the rival was granted; said beforehand: up to %.3f s after it\n",
      rounds, seconds(spare), seconds(bound));
}

// A session that is too short for niceness 19 without privileges on every kernel; nothing is starved here.
TEST(RunThatMayBeLate, says_before_the_command_starts_what_it_can_keep) {
  for (const bool quiet : {false, true}) {
    const TempDir dir("late");
    auto argv = starved({.niceness = 19, .privileged = false});
    argv.insert(argv.end(), {HOLDFAST_COMMAND, "run", "--url", engine_url(), "--session-timeout", "400ms"});
    if (quiet) argv.emplace_back("-q");
    argv.insert(argv.end(), {fresh_name(), "--", "sh", "-c", "echo the command has begun >&2"});
    Process run({.argv = std::move(argv), .stderr_file = dir / "stderr"});
    ASSERT_TRUE(run.wait(kRunPatience));
    const auto errors = content(dir / "stderr");
    const auto sentence = errors.find("at niceness 19 and without the right to raise its priority this run may get");
    EXPECT_EQ(sentence == std::string::npos, quiet) << errors;
    if (!quiet) {
      EXPECT_LT(sentence, errors.find("the command has begun")) << errors;
    }
  }
}

std::vector<Starvation> starvations() {
  if (const int session = number_from_environment("HOLDFAST_STARVED_SESSION", 0); session > 0) {
    std::vector<Starvation> all;
    for (const bool privileged : {true, false}) {
      for (const int niceness : {0, 19}) {
        for (const int spinners : {4, 16})
          all.push_back({niceness, spinners, std::chrono::seconds(session), privileged});
      }
    }
    return all;
  }
  return {{19, 16, 2s, true}, {19, 16, 2s, false}, {19, 16, 4s, false}, {0, 16, 2s, false}};
}

INSTANTIATE_TEST_SUITE_P(With, RunStarved, ::testing::ValuesIn(starvations()),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace holdfast::testing
