// recipe.h -- a fenced resource of its own for every test, by the name of its recipe.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store.h"
#include "support/peer.h"

namespace holdfast::testing {

class Recipe {
 public:
  virtual ~Recipe() = default;

  // "fence" (in this process), and those of Store::open().
  static std::unique_ptr<Recipe> make(std::string_view name);

  virtual std::unique_ptr<Store> connect() = 0;
  // A process that writes, see fenced_writer.cc. Throws std::logic_error for "fence".
  virtual std::unique_ptr<Peer> start_writer() = 0;
  // The tokens in the order in which they were admitted, as the resource itself has recorded them. Of a file: those of
  // the writers in processes only.
  virtual std::vector<Token> journal() = 0;
};

inline const auto kAllRecipes = ::testing::Values("fence", "sql_row", "sql_resource", "redis", "file");
inline const auto kRecipesAcrossProcesses = ::testing::Values("sql_row", "sql_resource", "redis", "file");
inline std::string recipe_name(const ::testing::TestParamInfo<const char*>& info) { return info.param; }

}  // namespace holdfast::testing
