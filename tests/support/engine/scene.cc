#include "support/engine/scene.h"

#include <ostream>
#include <utility>

namespace holdfast::testing {

using engine::Client;
using engine::Outcome;

std::ostream& operator<<(std::ostream& out, const Told& told) {
  static const char* const kTypes[] = {"nothing", "created", "deleted", "data changed", "children changed"};
  return out << "connection " << told.connection << ": " << told.path << " " << kTypes[static_cast<int>(told.type)];
}

wire::Create create(std::string path, wire::CreateMode mode, std::string data) {
  const auto op = wire::has_ttl(mode)                   ? wire::Op::create_ttl
                  : mode == wire::CreateMode::container ? wire::Op::create_container
                                                        : wire::Op::create2;
  return {.op = op,
          .path = std::move(path),
          .data = std::move(data),
          .acl = kOpen,
          .flags = static_cast<std::int32_t>(mode),
          .ttl = wire::has_ttl(mode) ? 10 : -1};
}

Client Scene::client(wire::SessionId number, engine::Identities identities) {
  auto opened = engine.open_session(++zxid, ++time, number, "password", std::chrono::seconds(30), engine::Moment(0));
  settle({}, wire::WhoAmI{}, opened);
  const Client client{number, static_cast<engine::ConnectionId>(number)};
  engine.connect(client.connection, std::move(identities));
  return client;
}

Outcome Scene::execute(const Client& client, const wire::Request& request) {
  if (wire::is_write(request)) ++zxid;
  engine.advance(now += std::chrono::milliseconds(1));
  return engine.execute(client, zxid, ++time, request);
}

void Scene::settle(const Client& client, const wire::Request& request, Outcome& outcome) {
  engine.settle(client, request, outcome, [this](engine::ConnectionId connection, const wire::Event& event) {
    told_.push_back({connection, event.type, event.path});
  });
}

Outcome Scene::run(const Client& client, const wire::Request& request) {
  auto outcome = execute(client, request);
  settle(client, request, outcome);
  return outcome;
}

std::string Scene::created(const Client& client, const wire::Create& request) {
  const auto outcome = run(client, request);
  wire::Reader reader(outcome.body);
  return outcome.code == wire::Code::ok ? reader.text() : "";
}

}  // namespace holdfast::testing
