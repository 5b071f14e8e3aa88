// docs/fencing.md quotes examples/fencing: what is read is what is tested.
//
// A quotation is a code block whose first line names the file: ```lua examples/fencing/fence.lua
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "store.h"

namespace holdfast::testing {
namespace {

using Quotations = std::map<std::string, std::string>;

Quotations quotations(std::istream& page) {
  Quotations found;
  std::string quoted;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      const auto blank = line.find(' ');
      quoted = inside && blank != std::string::npos ? line.substr(blank + 1) : "";
      if (!quoted.empty()) found[quoted] = "";
    } else if (!quoted.empty()) {
      found[quoted] += line + "\n";
    }
  }
  return found;
}

TEST(FencingPage, quotes_every_recipe_as_it_is_tested) {
  std::ifstream page(HOLDFAST_SOURCE_DIR "/docs/fencing.md");
  ASSERT_TRUE(page);
  Quotations expected;
  for (const auto& entry : std::filesystem::directory_iterator(HOLDFAST_SOURCE_DIR "/examples/fencing")) {
    const auto name = "fencing/" + entry.path().filename().string();
    expected["examples/" + name] = example(name);
  }
  ASSERT_GE(expected.size(), 8U);
  const auto found = quotations(page);
  for (const auto& [file, text] : expected) {
    ASSERT_TRUE(found.contains(file)) << file << " is not quoted";
    EXPECT_EQ(found.at(file), text) << file;
  }
  EXPECT_EQ(found.size(), expected.size()) << "the page quotes a file that does not exist";
}

TEST(FencingPage, quotations_are_found) {
  std::istringstream page("a\n```lua x/y\n1\n\n2\n```\n```cpp\nint i;\n```\n```sql z\n3\n```\n");
  EXPECT_EQ(quotations(page), (Quotations{{"x/y", "1\n\n2\n"}, {"z", "3\n"}}));
}

}  // namespace
}  // namespace holdfast::testing
