#include "cli/doctor/redis_probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/resolver.h"

namespace holdfast::cli::doctor {
namespace {

constexpr const char* kStartIt = "start it, or correct the address (--url)";

}  // namespace

Probed<RedisProbe> RedisProbe::connect(const net::ServerAddress& address, net::ClientTls* tls,
                                       Clock::time_point deadline) {
  RedisProbe probe(address.text());
  const auto found = net::look_up({address}, net::Names::kept);
  if (found.servers.empty()) {
    return tl::unexpected(ProbeFailure{fmt::format("{} has no address: {}", probe.name_, found.trouble),
                                       "correct the name (--url), or the name service"});
  }
  std::string why;
  for (const auto& each : found.servers) {
    const auto start = Clock::now();
    probe.socket_ = std::make_unique<net::StreamSocket>(each, tls, net::StreamSocket::Owner::any_user);
    while (probe.socket_->connecting() && probe.socket_->wait(deadline)) {
    }
    probe.connected_in_ = Clock::now() - start;
    if (!probe.socket_->connecting() && !probe.socket_->closed()) return probe;
    why = probe.socket_->connecting() ? "Connection timed out" : probe.socket_->reason();
  }
  return tl::unexpected(ProbeFailure{fmt::format("{} is not reached: {}", probe.name_, why), kStartIt});
}

Probed<resp::Value> RedisProbe::ask(const resp::Command& command, Clock::time_point deadline) {
  socket_->write(resp::encode(command));
  for (;;) {
    reader_.feed(socket_->received());
    socket_->drop(socket_->received().size());
    while (auto value = reader_.next()) {
      if (value->type != resp::Value::Type::push) return *std::move(value);
    }
    if (!reader_.trouble().empty())
      return tl::unexpected(ProbeFailure{name_ + " does not speak Redis' protocol", kStartIt});
    if (socket_->closed()) {
      return tl::unexpected(
          ProbeFailure{fmt::format("{} gave no answer: {}", name_, socket_->reason()), "its log says why"});
    }
    if (!socket_->wait(deadline)) {
      return tl::unexpected(ProbeFailure{name_ + " accepts connections, but does not answer",
                                         "look at the server and at firewalls between here and there"});
    }
  }
}

}  // namespace holdfast::cli::doctor
