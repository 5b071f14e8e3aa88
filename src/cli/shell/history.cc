#include "cli/shell/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/descriptor.h"
#include "cli/config/setting_value.h"

namespace holdfast::cli::shell {
namespace {

// Twice the lines, each with a node's worth of data: more is not ours.
constexpr off_t kMostBytes = 16 << 20;

std::string read_all(int fd) {
  std::string text;
  std::array<char, 65536> bytes;
  for (ssize_t got = 0; (got = ::read(fd, bytes.data(), bytes.size())) > 0;) {
    text.append(bytes.data(), static_cast<std::size_t>(got));
    if (static_cast<off_t>(text.size()) > kMostBytes) break;
  }
  return text;
}

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

std::optional<std::filesystem::path> history_file() {
  std::filesystem::path state;
  if (const char* set = std::getenv("XDG_STATE_HOME"); set != nullptr) state = set;
  if (!state.is_absolute()) {  // as the XDG specification has it
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home != '/') return std::nullopt;
    state = std::filesystem::path(home) / ".local" / "state";
  }
  return state / "holdfast" / "shell_history";
}

bool is_kept_in_history(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == '\t') return false;
  return !contains(line, "addauth") && !contains(line, "digest:") && !contains(line, "passw");
}

History::History(std::optional<std::filesystem::path> file) : file_(std::move(file)) {
  if (file_) load();
}

void History::load() {
  std::error_code error;
  const auto directory = file_->parent_path();
  std::filesystem::create_directories(directory.parent_path(), error);
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) error = {errno, std::generic_category()};
  const base::Descriptor opened(::open(file_->c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) {
    if (!error) error = {errno, std::generic_category()};
    trouble_ = file_->string() + ": " + error.message();
  } else if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || status.st_size > kMostBytes) {
    trouble_ = file_->string() + ": it is not a file of yours, or far too large";
  } else if ((status.st_mode & 077) != 0 && ::fchmod(opened.get(), 0600) != 0) {
    trouble_ = file_->string() + ": other users can read it";
  }
  if (!trouble_.empty()) {
    file_.reset();
    return;
  }
  const auto text = read_all(opened.get());
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines_.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool long_one = lines_.size() > 2 * kMostLines;
  if (lines_.size() > kMostLines) lines_.erase(lines_.begin(), lines_.end() - kMostLines);
  if (long_one) cut();
}

void History::cut() const {
  // Beside it, so that the name never stands for half a file. Whatever fails, the long file stays.
  auto beside = file_->string() + ".XXXXXX";
  const base::Descriptor made(::mkostemp(beside.data(), O_CLOEXEC));
  if (!made) return;
  std::string text;
  for (const auto& line : lines_) text += line + '\n';
  if (!base::write_all(made.get(), text) || ::rename(beside.c_str(), file_->c_str()) != 0)
    (void)::unlink(beside.c_str());
}

void History::add(const std::string& line) {
  if (!is_kept_in_history(line) || (!lines_.empty() && lines_.back() == line)) return;
  lines_.push_back(line);
  if (lines_.size() > kMostLines) lines_.erase(lines_.begin());
  if (!file_) return;
  const base::Descriptor opened(
      ::open(file_->c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!opened || !base::write_all(opened.get(), line + '\n')) {
    trouble_ = file_->string() + ": " + std::generic_category().message(errno);
    file_.reset();
  }
}

}  // namespace holdfast::cli::shell
