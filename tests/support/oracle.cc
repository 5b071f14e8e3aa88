#include "oracle.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace holdfast::testing {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), path);
}

void write_at_once(int fd, const std::string& text, const std::filesystem::path& path) {
  const ssize_t wrote = ::write(fd, text.data(), text.size());
  const int error = wrote < 0 ? errno : EIO;
  ::close(fd);
  errno = error;
  if (wrote != static_cast<ssize_t>(text.size())) fail(path);
}

void append_line(const std::filesystem::path& path, const std::string& line) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) fail(path);
  write_at_once(fd, line + "\n", path);
}

// A file that is not there yet has no lines.
std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

Oracle::Oracle(std::filesystem::path directory) : directory_(std::move(directory)) {}

bool Oracle::enter(std::string_view id) {
  const auto path = directory_ / "inside";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd >= 0) {
    write_at_once(fd, std::string(id), path);
    return true;
  }
  if (errno != EEXIST) fail(path);
  const auto other = read_lines(path);
  append_line(directory_ / "overlaps", std::string(id) + " found " + (other.empty() ? "?" : other.front()));
  return false;
}

void Oracle::leave(std::string_view id, std::string_view token) {
  append_line(directory_ / "grants", std::string(id) + " " + std::string(token));
  clear_inside();
}

void Oracle::clear_inside() {
  const auto path = directory_ / "inside";
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(path);
}

std::vector<std::string> Oracle::overlaps() const { return read_lines(directory_ / "overlaps"); }

std::vector<Oracle::Grant> Oracle::grants() const {
  std::vector<Grant> grants;
  for (const std::string& line : read_lines(directory_ / "grants")) {
    const auto space = line.rfind(' ');
    if (space == std::string::npos) throw std::runtime_error("oracle: no token in \"" + line + "\"");
    grants.push_back({line.substr(0, space), line.substr(space + 1)});
  }
  return grants;
}

}  // namespace holdfast::testing
