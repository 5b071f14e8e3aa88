#include "engine/cost.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "engine/path.h"

namespace holdfast::engine {
namespace {

using std::chrono::nanoseconds;

constexpr Moment kRead = nanoseconds(3'000);
constexpr Moment kWrite = nanoseconds(6'000);
// Each further step of a request, in addition to what it reads or writes.
constexpr Moment kReadStep = nanoseconds(500);
constexpr Moment kWriteStep = nanoseconds(1'500);
constexpr Moment kWatchStep = nanoseconds(1'000);
// Naming one node of a list, by its name and by its path.
constexpr Moment kName = nanoseconds(25);
constexpr Moment kPath = nanoseconds(150);
constexpr Moment kRemoval = nanoseconds(2'000);
constexpr Moment kAclEntry = nanoseconds(100);
// A byte of an answer, which is copied three times, and of data that is kept, which is also logged.
constexpr double kAnswerByte = 0.8;  // nanoseconds
constexpr double kLoggedByte = 2;

Moment times(std::size_t count, Moment each) { return static_cast<Moment::rep>(count) * each; }
Moment bytes(std::size_t count, double each) {
  return nanoseconds(static_cast<Moment::rep>(static_cast<double>(count) * each));
}

std::size_t watchers(const WatchTable& table, std::string_view path) {
  return table.size() == 0 ? 0 : table.watchers(path);
}

struct Cost {
  const Engine& engine;
  const Client& client;

  Moment operator()(const wire::GetData& request) const { return kRead + step(request); }
  Moment operator()(const wire::GetChildren& request) const { return kRead + step(request); }
  Moment operator()(const wire::GetAcl& request) const {
    const auto* node = engine.tree().find(request.path);
    return kRead + (node == nullptr || node->acl == nullptr ? Moment{0} : times(node->acl->list.size(), kAclEntry));
  }
  Moment operator()(const wire::MultiRead& request) const {
    Moment all = kRead;
    for (const auto& each : request.steps) all += std::visit([&](const auto& one) { return step(one); }, each);
    return all;
  }
  Moment operator()(const wire::GetEphemerals&) const {
    const auto* nodes = engine.tree().ephemerals(client.session);
    if (nodes == nullptr) return kRead;
    return kRead + times(nodes->size(), kPath) + bytes(engine.tree().ephemeral_bytes(client.session), kAnswerByte);
  }
  Moment operator()(const wire::SetWatches& request) const {
    const auto paths = request.data.size() + request.exist.size() + request.children.size() +
                       2 * (request.persistent.size() + request.recursive.size());
    return kRead + times(paths, kWatchStep);
  }
  Moment operator()(const wire::Create& request) const { return kWrite + step(request); }
  Moment operator()(const wire::Remove& request) const { return kWrite + step(request); }
  Moment operator()(const wire::RemoveContainer& request) const { return kWrite + removal(request.path); }
  Moment operator()(const wire::SetData& request) const { return kWrite + step(request); }
  Moment operator()(const wire::SetAcl& request) const { return kWrite + times(request.acl.size(), kAclEntry); }
  Moment operator()(const wire::Multi& request) const {
    Moment all = kWrite;
    for (const auto& each : request.steps) all += std::visit([&](const auto& one) { return step(one); }, each);
    return all;
  }
  Moment operator()(const wire::CloseSession&) const { return kWrite + likely_cost_of_end(engine, client.session); }
  template <class T>
  Moment operator()(const T&) const {
    return kRead;
  }

 private:
  Moment step(const wire::GetData& request) const {
    const auto* node = engine.tree().find(request.path);
    return kReadStep + (node == nullptr ? Moment{0} : bytes(node->data.size(), kAnswerByte));
  }
  Moment step(const wire::GetChildren& request) const {
    const auto* node = engine.tree().find(request.path);
    if (node == nullptr || !node->children) return kReadStep;
    return kReadStep + times(node->child_count(), kName) + bytes(node->children->name_bytes(), kAnswerByte);
  }
  Moment step(const wire::Create& request) const {
    return kWriteStep + bytes(request.data ? request.data->size() : 0, kLoggedByte) +
           times(request.acl.size(), kAclEntry) +
           times(watchers(engine.data_watches(), request.path) +
                     watchers(engine.child_watches(), parent_or_root(request.path)),
                 kPerEvent);
  }
  Moment step(const wire::Remove& request) const { return removal(request.path); }
  Moment step(const wire::SetData& request) const {
    return kWriteStep + bytes(request.data ? request.data->size() : 0, kLoggedByte) +
           times(watchers(engine.data_watches(), request.path), kPerEvent);
  }
  Moment step(const wire::Check&) const { return kReadStep; }
  Moment removal(std::string_view path) const {
    return kWriteStep + times(watchers(engine.data_watches(), path) + watchers(engine.child_watches(), path) +
                                  watchers(engine.child_watches(), parent_or_root(path)),
                              kPerEvent);
  }
};

}  // namespace

Moment likely_cost(const Engine& engine, const Client& client, const wire::Request& request) {
  return std::visit(Cost{engine, client}, request);
}

Moment likely_cost_of_end(const Engine& engine, wire::SessionId session) {
  const auto* nodes = engine.tree().ephemerals(session);
  return nodes == nullptr ? kWrite : kWrite + times(std::min(nodes->size(), engine.rules().removed_at_once), kRemoval);
}

}  // namespace holdfast::engine
