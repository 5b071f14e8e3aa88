// Clients that come by TLS, with a certificate, to our own engine: on Apache's server, which takes a second to start, all cases
// take minutes; what it does by TLS is in tests/fault/tls_test.cc.
#include "net/client_tls.h"
#include "node_world.h"
#include "support/secure_server.h"
#include "zk/socket_line.h"

namespace holdfast::testing {
namespace {

struct Secured {
  SecureServer secure{{.make = ServerMake::engine, .wants_client_certificates = true}};
};

// The nodes are looked at by the plain port.
class TlsWorld final : private Secured, public NodeWorld {
 public:
  TlsWorld() : NodeWorld("zks://" + secure.address(), secure.server().address()) {}
  Client connect(ClientOptions options) override {
    options.tls = tls();
    return NodeWorld::connect(std::move(options));
  }
  std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) override {
    auto& reactor = dynamic_cast<net::Reactor&>(executor);  // that of a client always is one
    return std::make_unique<zookeeper::ZooKeeperBackend>(
        reactor, zookeeper::parse_address("zks://" + secure.address()).value(), options,
        zk::SocketLine::dial(reactor, std::make_shared<net::ClientTls>(tls())));
  }
  bool child_shares_service() const override { return true; }

 private:
  TlsOptions tls() const {
    return {
        .ca = secure.authority().certificate, .certificate = secure.client().certificate, .key = secure.client().key};
  }
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<TlsWorld>(); }

}  // namespace holdfast::testing
