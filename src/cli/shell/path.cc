#include "cli/shell/path.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::cli::shell {
namespace {

tl::unexpected<std::string> refusal(std::string_view text, const char* why) {
  return tl::unexpected("Not a path: \"" + base::printable(text) + "\"; " + why);
}

Parsed<void> check(std::string_view text) {
  if (!text.starts_with('/')) return refusal(text, "a path begins with a slash");
  if (text.find('\0') != std::string_view::npos) return refusal(text, "there is a zero byte in it");
  if (text == "/") return {};
  for (std::size_t begin = 1; begin <= text.size();) {
    const auto end = std::min(text.find('/', begin), text.size());
    const auto part = text.substr(begin, end - begin);
    if (part.empty()) return refusal(text, "there is no name between two slashes");
    if (part == "." || part == "..") return refusal(text, "paths are not relative");
    begin = end + 1;
  }
  return {};
}

}  // namespace

Parsed<std::string> read_path(std::string_view text) {
  if (text.size() > 1 && text.ends_with('/') && !text.ends_with("//")) text.remove_suffix(1);
  if (auto ok = check(text); !ok) return tl::unexpected(ok.error());
  return std::string(text);
}

Parsed<std::string> read_sequential_path(std::string_view text) {
  if (auto ok = check(std::string(text) + '0'); !ok) return tl::unexpected(ok.error());
  return std::string(text);
}

std::string child_of(std::string_view parent, std::string_view name) {
  return std::string(parent == "/" ? "" : parent) + '/' + std::string(name);
}

std::string parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos || slash == 0 ? "/" : std::string(path.substr(0, slash));
}

}  // namespace holdfast::cli::shell
