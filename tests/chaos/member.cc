#include "member.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

namespace {

// A process that ended has said all; this is for a starved machine.
constexpr auto kEndOfOutput = 10s;

}  // namespace

Member::Member(MemberOptions options, const Service& service, History& history, FencedResource& resource)
    : options_(std::move(options)),
      history_(history),
      resource_(resource),
      line_(service.new_line()),
      url_(service.scheme() + line_->address()) {}

Member::~Member() { kill(); }

void Member::start() {
  kill();
  ++life_;
  std::vector<std::string> argv{HOLDFAST_CHAOS_WORKER,
                                url_,
                                options_.lock,
                                "--session",
                                std::to_string(options_.session.count()),
                                "--epoch",
                                std::to_string(options_.epoch.time_since_epoch().count()),
                                "--seed",
                                std::to_string(options_.seed + static_cast<std::uint64_t>(life_))};
  if (options_.break_lock) argv.emplace_back("--break-lock");
  process_ = std::make_unique<Process>(ProcessOptions{.argv = std::move(argv), .stderr_file = options_.log});
  history_.add(name(), {{"what", "started"}, {"life", life_}, {"pid", process_->pid()}});
  listener_ = std::thread([this, &process = *process_] { listen(process); });
}

void Member::kill() {
  if (!process_) return;
  process_->kill9();
  reap();
}

void Member::pause() {
  if (process_) process_->pause();
}

void Member::resume() {
  if (process_) process_->resume();
}

void Member::finish() {
  if (process_) process_->write_line("finish");
}

bool Member::wait_ended(std::chrono::milliseconds within) {
  if (!process_) return true;
  const bool ended = process_->wait(within).has_value();
  kill();
  return ended;
}

void Member::reap() {
  listener_.join();
  process_.reset();
}

// What a killed process had written arrives all the same, as from any network.
void Member::listen(Process& process) {
  for (bool running = true; running;) {
    running = process.running();
    while (auto line = process.read_line(running ? 50ms : kEndOfOutput)) {
      hear(process, Json::parse(*line, nullptr, /*allow_exceptions=*/false));
    }
  }
  holding_ = false;
  history_.add(name(), {{"what", "ended"}, {"life", life_}, {"status", process.wait(0ms).value_or(-1)}});
}

void Member::hear(Process& process, Json entry) {
  if (!entry.is_object()) entry = {{"what", "nonsense"}};
  entry["life"] = life_;
  const std::string what = entry.value("what", "");
  if (what == "write") {
    process.write_line(resource_.write(name(), std::move(entry)) ? "admitted" : "refused");
    return;
  }
  if (what == "granted") holding_ = true;
  if (what == "released") holding_ = false;
  history_.add(name(), entry);
}

}  // namespace holdfast::testing
