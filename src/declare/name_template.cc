#include "declare/name_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/name.h"
#include "base/text.h"
#include "base/ticket_spelling.h"
#include "declare/spelling.h"
#include "holdfast/error.h"

namespace holdfast::declare {
namespace {

using base::printable;

// Calls f(part, its number).
template <class F>
void for_each_part(std::string_view path, F f) {
  for (std::size_t number = 0;; ++number) {
    const auto end = path.find('/');
    f(path.substr(0, end), number);
    if (end == std::string_view::npos) return;
    path.remove_prefix(end + 1);
  }
}

// Names have no such part, though all its characters are allowed.
bool is_reserved(std::string_view part, std::size_t number) {
  return part == "." || part == ".." || base::spelled_as_ticket(part) || (number == 0 && part == "zookeeper");
}

}  // namespace

NameTemplate::NameTemplate(std::string_view text, const std::vector<std::string>& keys) : whole_(text) {
  auto rest = text.substr(text.starts_with('/') ? 1 : 0);
  std::size_t part = 0;
  for (;;) {
    const auto brace = rest.find_first_of("{}");
    const auto before = rest.substr(0, brace);
    if (brace == std::string_view::npos) break;
    const auto end = rest.find_first_of("{}", brace + 1);
    if (rest[brace] == '}' || end == std::string_view::npos || rest[end] == '{') {
      throw Error(Errc::invalid_argument,
                  fmt::format("\"{}\" has a brace alone; a name has braces only for arguments, as in orders/{{0}}",
                              printable(whole_)));
    }
    auto next = parse(rest.substr(brace + 1, end - brace - 1), keys);
    next.before = before;
    next.part = part += static_cast<std::size_t>(std::count(before.begin(), before.end(), '/'));
    check_separated(next);
    placeholders_.push_back(std::move(next));
    rest.remove_prefix(end + 1);
  }
  after_ = rest;
}

NameTemplate::Placeholder NameTemplate::parse(std::string_view inside, const std::vector<std::string>& keys) {
  const auto wrong = [&](const std::string& what) {
    return Error(Errc::invalid_argument, fmt::format("\"{}\": {}", printable(whole_), what));
  };
  Placeholder placeholder{.shown = fmt::format("{{{}}}", printable(inside))};
  const auto dot = std::min(inside.find('.'), inside.size());
  const auto number = inside.substr(0, dot);
  const auto counting = number.empty() ? Counting::by_order : Counting::by_number;
  if (counting_ == Counting::not_yet) counting_ = counting;
  if (counting_ != counting) throw wrong("either all placeholders have a number, as {0}, or none has one");
  if (number.empty()) {
    placeholder.argument = placeholders_.size();
  } else if (const auto [end, error] =
                 std::from_chars(number.data(), number.data() + number.size(), placeholder.argument);
             error != std::errc() || end != number.data() + number.size()) {
    throw wrong(
        fmt::format("{} is not a placeholder; one is {{0}} for the first argument, or {{0.id}} for a part of it",
                    placeholder.shown));
  }
  if (dot == inside.size()) return placeholder;

  const auto key = inside.substr(dot + 1);
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found == keys.end()) {
    throw wrong(keys.empty()
                    ? fmt::format("{} needs a projection: .arg(\"{}\", ...)", placeholder.shown, printable(key))
                    : fmt::format("no projection is named \"{}\"; there is {}", printable(key), fmt::join(keys, ", ")));
  }
  placeholder.projection = static_cast<std::size_t>(found - keys.begin());
  return placeholder;
}

void NameTemplate::check_separated(const Placeholder& next) const {
  const auto separates = [](char c) { return static_cast<unsigned char>(c) < 0x80 && !is_in_spellings(c); };
  if (placeholders_.empty() || std::any_of(next.before.begin(), next.before.end(), separates)) return;
  throw Error(Errc::invalid_argument,
              fmt::format("\"{}\": between {} and {} there must be a character that no argument has, such as / or :",
                          printable(whole_), placeholders_.back().shown, next.shown));
}

bool NameTemplate::uses(std::size_t projection) const {
  return std::any_of(placeholders_.begin(), placeholders_.end(),
                     [&](const auto& each) { return each.projection == projection; });
}

void NameTemplate::check(Fit (*fit)(std::size_t argument, std::size_t projection)) const {
  for (const auto& each : placeholders_) {
    const auto found = fit(each.argument, each.projection);
    if (found == Fit::yes) continue;
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "\"{}\": {}", printable(whole_),
            found == Fit::no_such_argument
                ? fmt::format("there is no argument for {}", each.shown)
                : fmt::format(
                      "{} is not of a type that a name can be made of; a projection can make it a string or an integer",
                      each.shown)));
  }
}

std::string NameTemplate::name(const Arguments& arguments) const {
  check(arguments.fit);
  std::vector<std::string> plain(placeholders_.size());
  std::vector<std::string> spelled;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (!arguments.append(arguments.call, placeholders_[i].argument, placeholders_[i].projection, plain[i])) {
      throw Error(Errc::invalid_argument,
                  fmt::format("\"{}\": {} is a null pointer", printable(whole_), placeholders_[i].shown));
    }
    spelled.push_back(spell(plain[i]));
  }
  for_each_part(join(spelled), [&](std::string_view part, std::size_t number) {
    if (!is_reserved(part, number)) return;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (placeholders_[i].part == number) spelled[i] = spell_every_byte(plain[i]);
    }
  });
  auto name = base::parse_name(join(spelled));
  if (!name) throw Error(Errc::invalid_argument, name.error());
  return std::move(*name);
}

std::string NameTemplate::join(const std::vector<std::string>& spelled) const {
  std::string name;
  for (std::size_t i = 0; i < spelled.size(); ++i) name += placeholders_[i].before + spelled[i];
  return name + after_;
}

std::string format_name(std::string_view text, const Arguments& arguments) {
  return NameTemplate(text).name(arguments);
}

}  // namespace holdfast::declare
