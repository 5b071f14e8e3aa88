// lock_list.h -- locks as a table: the list of `ls`, and of `watch` without a name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/config/setting_value.h"
#include "cli/view/describe.h"

namespace holdfast::cli {

struct ListOptions {
  std::vector<std::string> columns{};  // none: the usual ones
  std::string sort{};                  // a column; empty: as they come, which is by name
  bool reverse = false;
};

// From what --columns and --sort say, both of which may be empty. The error says which columns there are.
Parsed<ListOptions> parse_list_options(const std::string& columns, const std::string& sort, bool reverse);

// Numbers and times begin with the largest, text with the first of the alphabet; locks that have none of it come last.
void sort_locks(std::vector<LockInfo>& locks, Time now, const ListOptions& options);

// Titles, and one line per lock. With a width, that of a terminal, no line is wider, and of the usual columns those are left out that would
// say nothing (MARKS) or that there is no room for (TOKEN, then KIND).
std::vector<std::string> list_lines(const std::vector<LockInfo>& locks, Time now, std::optional<std::size_t> width,
                                    const ListOptions& options = {}, bool colours = false);

}  // namespace holdfast::cli
