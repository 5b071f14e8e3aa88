#include "redis_store.h"

#include <hiredis/hiredis.h>

#include <stdexcept>

#include "fencing/token_text.h"

namespace holdfast::testing {
namespace {

// Nothing here takes long; a server that is silent must not hang a test.
constexpr timeval kPatience{30, 0};

}  // namespace

void RedisStore::Close::operator()(redisContext* context) const { redisFree(context); }

RedisStore::RedisStore(int port) : context_(redisConnectWithTimeout("127.0.0.1", port, kPatience)) {
  if (!context_ || context_->err != 0) throw std::runtime_error("no Redis on port " + std::to_string(port));
  redisSetTimeout(context_.get(), kPatience);
  sha_ = command({"SCRIPT", "LOAD", example("fencing/fence.lua")}).value();
}

std::optional<std::string> RedisStore::command(const std::vector<std::string>& words) {
  std::vector<const char*> data;
  std::vector<std::size_t> sizes;
  for (const auto& word : words) {
    data.push_back(word.data());
    sizes.push_back(word.size());
  }
  const std::unique_ptr<redisReply, void (*)(void*)> reply(
      static_cast<redisReply*>(
          redisCommandArgv(context_.get(), static_cast<int>(words.size()), data.data(), sizes.data())),
      freeReplyObject);
  if (!reply) throw std::runtime_error(std::string("Redis: ") + context_->errstr);
  switch (reply->type) {
    case REDIS_REPLY_NIL: return std::nullopt;
    case REDIS_REPLY_INTEGER: return std::to_string(reply->integer);
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING: return std::string(reply->str, static_cast<std::size_t>(reply->len));
    default: throw std::runtime_error(std::string("Redis: ") + (reply->str == nullptr ? "?" : reply->str));
  }
}

bool RedisStore::write_raw(const std::string& token, const std::string& text) {
  return command({"EVALSHA", sha_, "1", kKey, token, text}) == "1";
}

bool RedisStore::write(Token token, const std::string& text) { return write_raw(fencing::token_text(token), text); }

std::optional<Content> RedisStore::read() {
  // In one step, as two would not be of the same moment. Never nil in the middle: the script writes both.
  const auto both = command({"EVAL",
                             "local both = redis.call('HMGET', KEYS[1], 'token', 'data') "
                             "return both[1] and both[1] .. ' ' .. both[2]",
                             "1", kKey});
  if (!both) return std::nullopt;
  const auto blank = both->find(' ');
  return Content{std::stoull(both->substr(0, blank)), both->substr(blank + 1)};
}

}  // namespace holdfast::testing
