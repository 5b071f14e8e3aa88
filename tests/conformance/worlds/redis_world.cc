#include <fmt/format.h>

#include "backend/redis/redis_backend.h"
#include "conformance/conformance.h"
#include "conformance/store_session.h"
#include "support/redis_server.h"

namespace holdfast::testing {
namespace {

// As an inline command takes any bytes: "\x61\x62".
std::string in_hex(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) all += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return all + '"';
}

std::string member(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return '\0' + path;
  return path.substr(0, slash) + '\0' + path.substr(slash + 1);
}

class RedisWorld final : public World {
 public:
  ~RedisWorld() override {
    operator_.reset();
    end_own_session();
  }

  bool can(Ability) const override { return true; }
  std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) override {
    auto& reactor = dynamic_cast<net::Reactor&>(executor);  // that of a client always is one
    return std::make_unique<redis::RedisBackend>(
        reactor,
        redis::Store{.client = {.servers = net::parse_servers(server_.address()).value(),
                                .connection_timeout = options.connection_timeout},
                     .called = "Redis at " + server_.address()},
        options.session_timeout);
  }

  std::size_t listeners() override { return count("ZCARD {holdfast}:w"); }
  std::size_t marks(const std::string& queue) override {
    return count(fmt::format("ZLEXCOUNT {{holdfast}}:k {} {}", in_hex("[" + queue + '\0'), in_hex("(" + queue + '\1')));
  }
  std::optional<std::string> read_value(const std::string& path) override {
    const auto answer = server_.ask(fmt::format("HGET {{holdfast}}:d {}", in_hex(member(path))));
    if (answer.starts_with("$-1")) return std::nullopt;
    const auto begin = answer.find("\r\n") + 2;
    const auto stored = answer.substr(begin, answer.size() - begin - 2);
    return stored.substr(stored.find(' ') + 1);
  }
  // By a client, so that those that listen are told.
  void write_value(const std::string& path, const std::string& text) override {
    using What = spi::Change::What;
    if (!operator_) operator_ = std::make_unique<StoreSession>(*this);
    if (operator_->commit({}, {{What::set, "/" + path, text}})) return;
    ASSERT_TRUE(operator_->commit({}, {{What::create, "/" + path, text}}));
  }
  void end_session(const spi::Session& session) override {
    server_.ask(fmt::format("ZADD {{holdfast}}:s -1 {}", session.id));
  }
  void add_stranger(const std::string& queue, const std::string& name) override { write_value(queue + "/" + name, ""); }
  bool child_shares_service() const override { return true; }

 private:
  // ":7\r\n".
  std::size_t count(const std::string& command) const { return std::stoul(server_.ask(command).substr(1)); }

  RedisServer server_;
  std::unique_ptr<StoreSession> operator_;
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<RedisWorld>(); }

}  // namespace holdfast::testing
