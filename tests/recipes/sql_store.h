// sql_store.h -- the statements of examples/fencing/guard_*.sql on SQLite, as Stores.
//
// Both keep a journal beside the data, filled in the same transaction: the tokens in the order in which they were
// admitted.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "store.h"

struct sqlite3;

namespace holdfast::testing {

class Database {
 public:
  using Parameters = std::map<std::string, std::string>;  // ":token" -> its text
  using Rows = std::vector<std::vector<std::string>>;

  // Creates the file if there is none.
  explicit Database(const std::string& path);

  // One statement. The rows that it returned. Throws std::runtime_error.
  Rows run(const std::string& statement, const Parameters& parameters = {});
  // How many rows the last INSERT, UPDATE or DELETE changed.
  int changes() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// Both schemas and the journal, in a new database.
void create_schema(const std::string& path);
std::vector<Token> sql_journal(const std::string& path);

// One row with a guard column.
class SqlRowStore final : public Store {
 public:
  explicit SqlRowStore(const std::string& path) : database_(path) {}

  bool write(Token token, const std::string& text) override;
  std::optional<Content> read() override;

 private:
  Database database_;
};

// Two rows, each with one half of the text, behind one guard: torn if the guard does not cover both.
class SqlResourceStore final : public Store {
 public:
  explicit SqlResourceStore(const std::string& path) : database_(path) {}

  bool write(Token token, const std::string& text) override;
  std::optional<Content> read() override;

 private:
  Database database_;
};

}  // namespace holdfast::testing
