// name_template.h -- the text of a name, with placeholders for arguments (include/holdfast/lock_name.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/lock_name.h"

namespace holdfast::declare {

class NameTemplate {
 public:
  // `keys`: of the projections, for which placeholders may ask. Throws Error(invalid_argument).
  explicit NameTemplate(std::string_view text, const std::vector<std::string>& keys = {});

  // Every call has the same name.
  bool is_fixed() const { return placeholders_.empty(); }
  bool uses(std::size_t projection) const;

  // Throws Error(invalid_argument) if calls with such arguments do not have what a placeholder asks for.
  void check(Fit (*fit)(std::size_t argument, std::size_t projection)) const;
  // The name, checked, without a slash at its beginning. Throws Error(invalid_argument).
  std::string name(const Arguments& arguments) const;

 private:
  struct Placeholder {
    std::string before{};  // the text between the last one and this one
    std::string shown{};   // "{0.id}"
    std::size_t argument = 0;
    std::size_t projection = kItself;
    std::size_t part = 0;  // of the path
  };

  Placeholder parse(std::string_view inside, const std::vector<std::string>& keys);
  void check_separated(const Placeholder& next) const;
  std::string join(const std::vector<std::string>& spelled) const;

  std::string whole_;
  std::vector<Placeholder> placeholders_;
  std::string after_;  // the last one
  enum class Counting { not_yet, by_number, by_order } counting_ = Counting::not_yet;
};

}  // namespace holdfast::declare
