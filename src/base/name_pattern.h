// name_pattern.h -- patterns of lock names: orders/*, shard-?, billing/** (what they mean: holdfast/lock_settings.h).
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace holdfast::base {

class NamePattern {
 public:
  // One leading slash means nothing, as in a name. Or one sentence that says what is wrong and what would be right.
  static tl::expected<NamePattern, std::string> parse(std::string_view text);

  // `name` is one that parse_name() has returned.
  bool matches(std::string_view name) const;

  // Greater: more specific. Of two that fit the same name, that which should count; equal if neither says more.
  std::weak_ordering compare(const NamePattern& other) const;

 private:
  // What one part is made of. Texts are between the wildcards, without backslashes.
  struct Piece {
    enum class Kind { text, one, any };
    Kind kind = Kind::text;
    std::string text{};
  };
  struct Part {
    std::vector<Piece> pieces{};  // empty: any number of parts
    std::size_t rank = 0;         // how specific
  };

  static tl::expected<Part, std::string> parse_part(std::string_view text);
  static bool fits(const Part& part, std::string_view text);

  std::vector<Part> parts_;
};

}  // namespace holdfast::base
