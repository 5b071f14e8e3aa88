// redis_queue_world.h -- Redis in mode queue, reached by any URL, and looked at through a plain port.
#pragma once

#include <fmt/format.h>

#include "backend/redis/make_backend.h"
#include "conformance/conformance.h"
#include "conformance/store_session.h"
#include "support/redis_server.h"

namespace holdfast::testing {

// As an inline command takes any bytes: "\x61\x62".
inline std::string in_hex(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) all += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return all + '"';
}

inline std::string member(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return '\0' + path;
  return path.substr(0, slash) + '\0' + path.substr(slash + 1);
}

// The server is made before it, and goes after it.
class RedisQueueWorld : public World {
 public:
  RedisQueueWorld(std::string url, const RedisServer& server, TlsOptions tls = {})
      : url_(std::move(url)), server_(server), tls_(std::move(tls)) {}
  ~RedisQueueWorld() override {
    operator_.reset();
    end_own_session();
  }

  bool can(Ability) const override { return true; }
  Client connect(ClientOptions options) override {
    options.tls = tls_;
    return Client::connect(url_, std::move(options));
  }
  std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) override {
    auto& reactor = dynamic_cast<net::Reactor&>(executor);  // that of a client always is one
    const auto address = redis::parse_address(url_).value();
    return redis::make_backend(reactor, address, redis::merged(options.redis, address), options.session_timeout,
                               options.connection_timeout,
                               address.tls ? std::make_shared<net::ClientTls>(tls_) : nullptr);
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

  const std::string url_;
  const RedisServer& server_;
  const TlsOptions tls_;
  std::unique_ptr<StoreSession> operator_;
};

}  // namespace holdfast::testing
