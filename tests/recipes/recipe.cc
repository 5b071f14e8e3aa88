#include "recipe.h"

#include <fstream>
#include <stdexcept>

#include "fencing/fenced_log.h"
#include "redis_store.h"
#include "sql_store.h"
#include "support/redis_server.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

std::unique_ptr<Peer> writer(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HOLDFAST_FENCED_WRITER);
  return std::make_unique<Peer>(std::move(arguments), "writer");
}

class LogStore final : public Store {
 public:
  explicit LogStore(fencing::FencedLog& log) : log_(log) {}

  bool write(Token token, const std::string& text) override { return log_.append(token, text); }
  std::optional<Content> read() override {
    const auto lines = log_.lines();
    if (lines.empty()) return std::nullopt;
    return Content{lines.back().first, lines.back().second};
  }

 private:
  fencing::FencedLog& log_;
};

class LogRecipe final : public Recipe {
 public:
  std::unique_ptr<Store> connect() override { return std::make_unique<LogStore>(log_); }
  std::unique_ptr<Peer> start_writer() override { throw std::logic_error("a Fence lives in one process"); }
  std::vector<Token> journal() override {
    std::vector<Token> tokens;
    for (const auto& [token, line] : log_.lines()) tokens.push_back(token);
    return tokens;
  }

 private:
  fencing::FencedLog log_;
};

class SqlRecipe final : public Recipe {
 public:
  explicit SqlRecipe(std::string_view name) : name_(name) { create_schema(path_); }

  std::unique_ptr<Store> connect() override { return Store::open(name_, path_); }
  std::unique_ptr<Peer> start_writer() override { return writer({name_, path_}); }
  std::vector<Token> journal() override { return sql_journal(path_); }

 private:
  std::string name_;
  TempDir dir_{"sql"};
  std::string path_ = (dir_ / "documents.db").string();
};

class RedisRecipe final : public Recipe {
 public:
  std::unique_ptr<Store> connect() override { return Store::open("redis", port()); }
  std::unique_ptr<Peer> start_writer() override { return writer({"redis", port()}); }
  std::vector<Token> journal() override {
    std::vector<Token> tokens;
    for (const auto& change : server_.changes()) {
      // HSET key "token" <token> "data" <data>
      if (change.at(0) == "HSET") tokens.push_back(std::stoull(change.at(3)));
    }
    return tokens;
  }

 private:
  std::string port() const { return std::to_string(server_.port()); }

  RedisServer server_{{.keeps = RedisKeeps::all}};
};

class FileRecipe final : public Recipe {
 public:
  std::unique_ptr<Store> connect() override { return Store::open("file", path()); }
  std::unique_ptr<Peer> start_writer() override { return writer({"file", path(), (dir_ / "journal").string()}); }
  std::vector<Token> journal() override {
    std::vector<Token> tokens;
    std::ifstream lines(dir_ / "journal");
    for (std::string line; std::getline(lines, line);) tokens.push_back(std::stoull(line));
    return tokens;
  }

 private:
  std::string path() const { return (dir_ / "document").string(); }

  TempDir dir_{"file"};
};

}  // namespace

std::unique_ptr<Recipe> Recipe::make(std::string_view name) {
  if (name == "fence") return std::make_unique<LogRecipe>();
  if (name == "redis") return std::make_unique<RedisRecipe>();
  if (name == "file") return std::make_unique<FileRecipe>();
  return std::make_unique<SqlRecipe>(name);
}

}  // namespace holdfast::testing
