#include "store.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "file_store.h"
#include "redis_store.h"
#include "sql_store.h"

namespace holdfast::testing {

std::unique_ptr<Store> Store::open(std::string_view recipe, const std::string& target) {
  if (recipe == "sql_row") return std::make_unique<SqlRowStore>(target);
  if (recipe == "sql_resource") return std::make_unique<SqlResourceStore>(target);
  if (recipe == "redis") return std::make_unique<RedisStore>(std::stoi(target));
  if (recipe == "file") return std::make_unique<FileStore>(target);
  throw std::invalid_argument("no such recipe: " + std::string(recipe));
}

std::string example(std::string_view path) {
  std::ifstream file(std::string(HOLDFAST_EXAMPLES "/") + std::string(path), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) throw std::runtime_error("no example " + std::string(path));
  return text;
}

}  // namespace holdfast::testing
