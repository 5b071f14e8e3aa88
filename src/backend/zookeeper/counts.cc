// counts.cc -- marks and counts: what else a lock keeps on ZooKeeper, as nodes that stay.
#include <fmt/format.h>

#include "backend/zookeeper/dialect.h"
#include "backend/zookeeper/status.h"
#include "backend/zookeeper/zookeeper_backend.h"
#include "base/log.h"

namespace holdfast::zookeeper {

using spi::Reply;
using spi::Status;
using wire::CreateMode;

namespace {

// Four bytes, big-endian: what Curator's SharedCount writes.
std::string encode(std::int32_t count) {
  const auto bits = static_cast<std::uint32_t>(count);
  std::string data;
  for (const int shift : {24, 16, 8, 0}) data += static_cast<char>(bits >> shift & 0xff);
  return data;
}

Reply<std::int32_t> decode(const std::string& path, const std::string& data) {
  if (data.size() != 4) {
    return {Status::denied, fmt::format("{} holds {} bytes; a shared count has 4", path, data.size()), {}};
  }
  std::uint32_t bits = 0;
  for (const unsigned char byte : data) bits = bits << 8 | byte;
  return {Status::ok, {}, static_cast<std::int32_t>(bits)};
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------- marks

void ZooKeeperBackend::leave_mark(const std::string& queue, const std::string& ticket,
                                  spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto mark = path(queue, mark_of(ticket));
  connection_.client().multi({{.what = zk::Step::What::check, .path = path(queue, ticket)},
                              {.what = zk::Step::What::create, .path = mark, .mode = CreateMode::persistent}},
                             acknowledged([mark, done = std::move(done)](const zk::Answer& answer) {
                               // It is there from a try whose reply was lost.
                               if (answer.code == Code::ok || answer.code == Code::node_exists) return done({});
                               done(failure<spi::Nothing>(answer.code, "create " + mark));
                             }));
}

void ZooKeeperBackend::abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) {
  if (!reachable(done)) return;
  connection_.client().get_children(
      path(queue), acknowledged([this, queue, done = std::move(done)](const zk::Answer& answer) {
        if (answer.code == Code::no_node) return done({});
        if (answer.code != Code::ok) return done(failure<std::vector<std::string>>(answer.code, "list " + path(queue)));
        done({Status::ok, {}, sort_children(answer.children).abandoned_marks});
      }));
}

// --------------------------------------------------------------------------------------------------------------- counts

void ZooKeeperBackend::make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) {
  make_count(name, initial, false, std::move(done));
}

void ZooKeeperBackend::make_count(const std::string& name, std::int32_t initial, bool parents_made,
                                  spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto node = path(name);
  const auto slash = node.rfind('/');
  const auto denied = std::make_shared<Denied>();
  if (parents_made && slash > 0) create_with_parents(node.substr(0, slash), denied);
  connection_.client().create(
      {.path = node, .data = encode(initial)},
      acknowledged([this, name, initial, parents_made, denied, node, done](const zk::Answer& answer) {
        if (answer.code == Code::ok || answer.code == Code::node_exists) return done({});
        if (answer.code == Code::no_node && !parents_made) return make_count(name, initial, true, done);
        if (denied->code != Code::ok) return done(failure<spi::Nothing>(denied->code, "create " + denied->path));
        done(failure<spi::Nothing>(answer.code, "create " + node));
      }));
}

void ZooKeeperBackend::read_count(const std::string& name, spi::Callback<std::int32_t> done) {
  if (!reachable(done)) return;
  const auto node = path(name);
  connection_.client().get(node, acknowledged([node, done = std::move(done)](const zk::Answer& answer) {
                             if (answer.code != Code::ok)
                               return done(failure<std::int32_t>(answer.code, "read " + node));
                             done(decode(node, answer.text));
                           }));
}

void ZooKeeperBackend::set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) {
  if (!reachable(done)) return;
  const auto node = path(name);
  connection_.client().set(
      node, encode(count), acknowledged([node, done = std::move(done)](const zk::Answer& answer) {
        done(answer.code == Code::ok ? Reply<spi::Nothing>() : failure<spi::Nothing>(answer.code, "write " + node));
      }));
}

ZooKeeperBackend::ListenerId ZooKeeperBackend::listen_to_count(const std::string& name,
                                                               spi::Callback<std::int32_t> armed,
                                                               spi::CountListener told) {
  if (!reachable(armed)) return Listeners::kNone;
  const auto node = path(name);
  const auto tell = [node, told = std::move(told)](const Reply<std::string>& data) {
    if (!data) return;
    const auto count = decode(node, data.value);
    if (count) return told(count.value);
    base::log().error("{}; the count stays as it is", count.detail);
  };
  return listeners_.add({.path = node, .told = tell}, [node, armed = std::move(armed)](const zk::Answer& answer) {
    if (answer.code != Code::ok) return armed(failure<std::int32_t>(answer.code, "watch " + node));
    armed(decode(node, answer.text));
  });
}

}  // namespace holdfast::zookeeper
