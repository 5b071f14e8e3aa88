// redis_store.h -- examples/fencing/fence.lua as a Store.
#pragma once

#include <memory>
#include <vector>

#include "store.h"

struct redisContext;

namespace holdfast::testing {

class RedisStore final : public Store {
 public:
  static constexpr const char* kKey = "document";

  // Connects to 127.0.0.1.
  explicit RedisStore(int port);

  bool write(Token token, const std::string& text) override;
  std::optional<Content> read() override;

  // As write(), with a token that need not be one.
  bool write_raw(const std::string& token, const std::string& text);
  // Nothing for nil. Integers as text. Throws std::runtime_error for an error.
  std::optional<std::string> command(const std::vector<std::string>& words);

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };
  std::unique_ptr<redisContext, Close> context_;
  std::string sha_;
};

}  // namespace holdfast::testing
