// store.h -- one connection to a fenced resource, whatever the recipe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/fence.h"

namespace holdfast::testing {

struct Content {
  Token token = 0;
  std::string text;

  bool operator==(const Content&) const = default;
};

// Not thread safe: every writer has its own.
class Store {
 public:
  virtual ~Store() = default;

  // True: written. False: refused. Throws std::runtime_error if the service did not answer the question.
  [[nodiscard]] virtual bool write(Token token, const std::string& text) = 0;
  // Nothing before the first write.
  virtual std::optional<Content> read() = 0;

  // To `target`, as one of
  //   sql_row, sql_resource    a database file that exists
  //   redis                    a port on the loopback
  //   file                     a path
  static std::unique_ptr<Store> open(std::string_view recipe, const std::string& target);
};

// A file below examples/, as it is.
std::string example(std::string_view path);

}  // namespace holdfast::testing
