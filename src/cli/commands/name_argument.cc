#include "cli/commands/name_argument.h"

#include "base/name.h"
#include "holdfast/error.h"

namespace holdfast::cli {

std::string name_argument(std::string_view name) {
  auto parsed = base::parse_name(name);
  if (!parsed) throw Error(Errc::invalid_argument, parsed.error());
  return std::move(*parsed);
}

std::string root_argument(std::string_view root) { return root.empty() || root == "/" ? "" : name_argument(root); }

}  // namespace holdfast::cli
