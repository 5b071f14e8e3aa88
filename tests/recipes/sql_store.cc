#include "sql_store.h"

#include <sqlite3.h>

#include <stdexcept>

#include "fencing/token_text.h"

namespace holdfast::testing {
namespace {

using fencing::token_text;

// Writers wait for each other this long; far more than a starved machine needs.
constexpr int kBusyTimeout = 60'000;

Token to_token(const std::string& digits) { return std::stoull(digits); }

}  // namespace

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Database::Database(const std::string& path) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(path.c_str(), &opened);
  database_.reset(opened);
  if (code != SQLITE_OK) throw std::runtime_error(path + ": " + sqlite3_errstr(code));
  sqlite3_busy_timeout(opened, kBusyTimeout);
  // A test does not pull the power plug, and a sync per transaction costs milliseconds on a shared disk.
  run("PRAGMA synchronous = OFF");
}

Database::Rows Database::run(const std::string& statement, const Parameters& parameters) {
  sqlite3* const database = database_.get();
  const auto check = [&](bool good) {
    if (!good) throw std::runtime_error(std::string(sqlite3_errmsg(database)) + " in: " + statement);
  };
  sqlite3_stmt* prepared = nullptr;
  check(sqlite3_prepare_v2(database, statement.c_str(), -1, &prepared, nullptr) == SQLITE_OK);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> guard(prepared, sqlite3_finalize);
  for (const auto& [name, value] : parameters) {
    const int index = sqlite3_bind_parameter_index(prepared, name.c_str());
    check(index > 0 && sqlite3_bind_text(prepared, index, value.data(), static_cast<int>(value.size()),
                                         SQLITE_TRANSIENT) == SQLITE_OK);
  }
  Rows rows;
  int code = sqlite3_step(prepared);
  for (; code == SQLITE_ROW; code = sqlite3_step(prepared)) {
    auto& row = rows.emplace_back();
    for (int column = 0; column < sqlite3_column_count(prepared); ++column) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, column));
      row.emplace_back(text == nullptr ? "" : text);
    }
  }
  check(code == SQLITE_DONE);
  return rows;
}

int Database::changes() const { return sqlite3_changes(database_.get()); }

void create_schema(const std::string& path) {
  Database database(path);
  database.run(example("fencing/guard_row.sql"));
  database.run(example("fencing/guard_resource.sql"));
  database.run("CREATE TABLE journal (id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL)");
  database.run("CREATE TABLE half (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  database.run(
      "CREATE TRIGGER row_journal AFTER UPDATE ON document "
      "BEGIN INSERT INTO journal (token) VALUES (new.token); END");
  database.run("INSERT INTO document (id, text) VALUES (1, '')");
  database.run("INSERT INTO half VALUES (1, ''), (2, '')");
}

std::vector<Token> sql_journal(const std::string& path) {
  std::vector<Token> tokens;
  for (const auto& row : Database(path).run("SELECT token FROM journal ORDER BY id")) {
    tokens.push_back(to_token(row.front()));
  }
  return tokens;
}

bool SqlRowStore::write(Token token, const std::string& text) {
  static const std::string kWrite = example("fencing/guard_row_write.sql");
  database_.run(kWrite, {{":id", "1"}, {":token", token_text(token)}, {":text", text}});
  return database_.changes() == 1;
}

std::optional<Content> SqlRowStore::read() {
  const auto rows = database_.run("SELECT token, text FROM document WHERE id = 1");
  Content content{to_token(rows.at(0).at(0)), rows.at(0).at(1)};
  if (content.token == 0) return std::nullopt;
  return content;
}

bool SqlResourceStore::write(Token token, const std::string& text) {
  static const std::string kAdmit = example("fencing/guard_resource_admit.sql");
  database_.run("BEGIN IMMEDIATE");
  try {
    database_.run(kAdmit, {{":resource", "halves"}, {":token", token_text(token)}});
    if (database_.changes() != 1) {
      database_.run("ROLLBACK");
      return false;
    }
    const auto middle = text.size() / 2;
    database_.run("UPDATE half SET text = :text WHERE id = 1", {{":text", text.substr(0, middle)}});
    database_.run("UPDATE half SET text = :text WHERE id = 2", {{":text", text.substr(middle)}});
    database_.run("INSERT INTO journal (token) VALUES (:token)", {{":token", token_text(token)}});
    database_.run("COMMIT");
    return true;
  } catch (...) {
    database_.run("ROLLBACK");
    throw;
  }
}

std::optional<Content> SqlResourceStore::read() {
  const auto rows = database_.run(
      "SELECT token, (SELECT text FROM half WHERE id = 1) || (SELECT text FROM half WHERE id = 2) "
      "FROM fence WHERE resource = 'halves'");
  if (rows.empty()) return std::nullopt;
  return Content{to_token(rows[0].at(0)), rows[0].at(1)};
}

}  // namespace holdfast::testing
