#include "server/listener.h"

#include <algorithm>
#include <utility>

#include "net/server_tls.h"
#include "server/acceptor.h"
#include "server/connection_context.h"

namespace holdfast::server {

class Listener::Impl {
 public:
  explicit Impl(std::shared_ptr<ConnectionContext> r) : shared(std::move(r)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    for (const auto& acceptor : acceptors) acceptor->close();
  }

  std::shared_ptr<ConnectionContext> shared;
  std::vector<std::shared_ptr<Acceptor>> acceptors;
  std::vector<std::string> addresses;
  int plain_port = -1;
  int tls_port = -1;
};

tl::expected<std::unique_ptr<Listener>, std::string> Listener::open(asio::io_context& context, Host& host,
                                                                    const EngineOptions& options, ReportFor report) {
  std::shared_ptr<const net::ServerTls> tls;
  if (std::any_of(options.listen.begin(), options.listen.end(), [](const Listen& l) { return l.tls; })) {
    auto made = net::ServerTls::read(options.tls);
    if (!made) return tl::unexpected(std::move(made.error()));
    tls = std::move(*made);
  }
  auto impl = std::make_unique<Impl>(std::make_shared<ConnectionContext>(context, host, options, std::move(report)));
  for (const Listen& listen : options.listen) {
    auto acceptor = Acceptor::open(impl->shared, listen, listen.tls ? tls : nullptr);
    if (!acceptor) return tl::unexpected(std::move(acceptor.error()));
    int& port = listen.tls ? impl->tls_port : impl->plain_port;
    if (port < 0 && listen.path.empty()) port = (*acceptor)->port();
    impl->addresses.push_back((*acceptor)->address());
    impl->acceptors.push_back(std::move(*acceptor));
  }
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

Listener::Listener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::~Listener() = default;

const std::vector<std::string>& Listener::addresses() const noexcept { return impl_->addresses; }
int Listener::port(bool tls) const noexcept { return tls ? impl_->tls_port : impl_->plain_port; }
std::size_t Listener::connections() const noexcept { return impl_->shared->quotas->addresses.connections(); }
std::uint64_t Listener::rejected() const noexcept {
  return impl_->shared->quotas->refusals.count(Refusal::connections);
}

}  // namespace holdfast::server
