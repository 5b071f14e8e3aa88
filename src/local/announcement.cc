#include "local/announcement.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

namespace holdfast::local {
namespace {

constexpr auto kName = "engine";
constexpr auto kDraft = "engine.new";
// The first line of the file. The number changes when the format of the lines below does.
constexpr std::string_view kFormat = "holdfast-local 2";
// Far more than it ever has; a larger file is not an announcement.
constexpr std::size_t kLargest = 8'192;
constexpr mode_t kForOthers = S_IRWXG | S_IRWXO;

// The machine and its present start: a socket in a directory that machines share leads nowhere on the others.
std::string here() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::optional<std::string> read_all(int fd) {
  std::string text(kLargest, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = ::pread(fd, text.data() + size, text.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) {
      text.resize(size);
      return text;
    }
    size += static_cast<std::size_t>(got);
  }
  return std::nullopt;
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// The process that has it locked: 0 if there is none, -1 if it has no number here (another container's).
int locked_by(int fd) {
  auto lock = whole_file(F_WRLCK);
  if (::fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_pid > 0 ? lock.l_pid : -1;
}

std::string text_of(const Conditions& conditions) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("{}\nsince {}\nplace {}\nhost {}\nconditions {}\n", kFormat, since, here(), host_name(),
                     conditions.text());
}

// Key and value of each line but the first; nothing if that is another format.
std::optional<std::map<std::string, std::string>> fields_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kFormat) return std::nullopt;
  std::map<std::string, std::string> fields;
  while (std::getline(lines, line)) {
    const auto blank = line.find(' ');
    if (blank != std::string::npos) fields[line.substr(0, blank)] = line.substr(blank + 1);
  }
  return fields;
}

template <typename Number>
Number number(const std::string& text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

bool FoundEngine::alive() const { return locked_by(file_.get()) != 0; }

Result<FoundPtr> find() {
  auto directory = open_state_directory(Missing::leave);
  if (!directory) return tl::unexpected(directory.error());
  if (!directory->fd) return FoundPtr();
  return find(*directory);
}

Result<FoundPtr> find(const StateDirectory& directory) {
  const auto path = directory.file(kName);
  // Not blocking, because the file might be a pipe.
  auto file = directory.open(kName, O_RDONLY | O_NONBLOCK);
  if (!file && errno == ENOENT) return FoundPtr();
  if (!file) return tl::unexpected(fmt::format("cannot open {}: {}", path, error_text(errno)));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & kForOthers) != 0) {
    return tl::unexpected(fmt::format("{} is not a file of yours that only you can read; remove it", path));
  }
  const auto owner = locked_by(file.get());
  if (owner == 0) return FoundPtr();  // it has ended
  const auto text = read_all(file.get());
  const auto fields = text ? fields_of(*text) : std::nullopt;
  if (!fields) {
    return tl::unexpected(fmt::format(
        "the local engine (process {}) is one of another version of holdfast: end it (kill {}), then try again", owner,
        owner));
  }
  const auto field = [&](const char* key) {
    const auto found = fields->find(key);
    return found == fields->end() ? std::string() : found->second;
  };
  if (field("place") != here()) {
    return tl::unexpected(fmt::format(
        "the local engine of {} runs on another machine ({}); set HOLDFAST_STATE_DIR to a directory that is not "
        "shared, or use another URL",
        directory.path, field("host")));
  }
  const auto conditions = Conditions::parse(field("conditions"));
  LocalEngine engine{
      .address = directory.file(kSocket),
      .pid = std::max(owner, 0),
      .directory = directory.path,
      .data_dir = directory.file("data"),
      .log_file = directory.file("engine.log"),
      .since = std::chrono::system_clock::time_point(std::chrono::milliseconds(number<std::int64_t>(field("since")))),
      .held_back = conditions.complaint()};
  return std::make_shared<const FoundEngine>(std::move(engine), conditions, std::move(file));
}

Result<Announcement> Announcement::publish(const StateDirectory& directory, const Conditions& conditions) {
  const auto failed = [&](const char* what) {
    return tl::unexpected(fmt::format("cannot {} {}: {}", what, directory.file(kDraft), error_text(errno)));
  };
  ::unlinkat(directory.fd.get(), kDraft, 0);  // left by an engine that was killed here
  auto file = directory.open(kDraft, O_RDWR | O_CREAT | O_EXCL);
  if (!file) return failed("create");
  if (!base::write_all(file.get(), text_of(conditions))) return failed("write");
  auto lock = whole_file(F_WRLCK);
  if (::fcntl(file.get(), F_SETLK, &lock) != 0) return failed("lock");
  if (::renameat(directory.fd.get(), kDraft, directory.fd.get(), kName) != 0) return failed("rename");
  return Announcement(std::move(file));
}

void Announcement::withdraw(const StateDirectory& directory) {
  ::unlinkat(directory.fd.get(), kName, 0);
  file_.reset();
}

}  // namespace holdfast::local
