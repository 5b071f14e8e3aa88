// The engine beside a model that is too simple to be wrong: nodes in a map, every number counted where it changes.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "engine/engine.h"
#include "engine/path.h"
#include "support/engine/scene.h"
#include "support/engine/state.h"

namespace holdfast::engine {
namespace {

using testing::create;
using testing::Scene;
using wire::Code;
using wire::CreateMode;

class Model {
 public:
  Model() {
    for (const auto* path : {"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}) nodes_[path];
    nodes_["/"].cversion = -1;
    nodes_["/"].num_children = 1;
    nodes_["/zookeeper"].cversion = -2;
    nodes_["/zookeeper"].num_children = 2;
    nodes_["/zookeeper/config"].aversion = -1;
  }

  Code create(const wire::Create& request, wire::SessionId session, wire::Zxid zxid, std::int64_t time) {
    const auto parent = parent_path(request.path);
    if (!nodes_.contains(parent)) return Code::no_node;
    const auto mode = static_cast<CreateMode>(request.flags);
    auto path = request.path;
    if (is_sequential(mode)) {
      const auto number = std::to_string(born_[parent]);
      path += std::string(10 - number.size(), '0') + number;
    }
    if (nodes_.contains(path)) return Code::node_exists;
    if (nodes_[parent].ephemeral_owner != 0) return Code::no_children_for_ephemerals;
    ++born_[parent];
    born_[path] = 0;
    nodes_[path] = {.czxid = zxid,
                    .mzxid = zxid,
                    .ctime = time,
                    .mtime = time,
                    .ephemeral_owner = is_ephemeral(mode) ? session : 0,
                    .data_length = static_cast<std::int32_t>(request.data->size()),
                    .pzxid = zxid};
    changed(parent, +1, zxid);
    return Code::ok;
  }

  Code remove(const wire::Remove& request, wire::Zxid zxid) {
    const auto found = nodes_.find(request.path);
    if (found == nodes_.end()) return Code::no_node;
    if (request.version != -1 && request.version != found->second.version) return Code::bad_version;
    if (found->second.num_children > 0) return Code::not_empty;
    nodes_.erase(found);
    changed(parent_path(request.path), -1, zxid);
    return Code::ok;
  }

  Code set(const wire::SetData& request, wire::Zxid zxid, std::int64_t time) {
    const auto found = nodes_.find(request.path);
    if (found == nodes_.end()) return Code::no_node;
    auto& stat = found->second;
    if (request.version != -1 && request.version != stat.version) return Code::bad_version;
    ++stat.version;
    stat.mzxid = zxid;
    stat.mtime = time;
    stat.data_length = static_cast<std::int32_t>(request.data->size());
    return Code::ok;
  }

  void close(wire::SessionId session, wire::Zxid zxid) {
    for (auto each = nodes_.begin(); each != nodes_.end();) {
      const auto path = each->first;
      const bool ends = each->second.ephemeral_owner == session;
      each = ends ? nodes_.erase(each) : std::next(each);
      if (ends) changed(parent_path(path), -1, zxid);
    }
  }

  const std::map<std::string, wire::Stat>& nodes() const { return nodes_; }

 private:
  static std::string parent_path(const std::string& path) {
    const auto parent = std::string(parent_of(path));
    return parent.empty() ? "/" : parent;
  }
  void changed(const std::string& parent, int children, wire::Zxid zxid) {
    auto& stat = nodes_[parent];
    ++stat.cversion;
    stat.num_children += children;
    stat.pzxid = zxid;
  }

  std::map<std::string, wire::Stat> nodes_;
  std::map<std::string, int> born_;
};

TEST(Engine, does_what_a_simple_model_of_zookeeper_does) {
  std::map<Code, int> codes;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto number = [&](unsigned end) { return random() % end; };
    const auto path = [&] {
      std::string text;
      for (auto left = 1 + number(3); left > 0; --left) text += number(2) == 0 ? "/a" : "/b";
      return text;
    };
    Scene scene;
    Model model;
    auto me = scene.client(1);
    for (int step = 0; step < 80; ++step) {
      Code wanted{};
      Code got{};
      const auto version = number(4) == 0 ? static_cast<std::int32_t>(number(2)) : -1;
      switch (number(8)) {
        case 0:
        case 1: {
          const wire::Remove request{path(), version};
          got = scene.code(me, request);
          wanted = model.remove(request, scene.zxid);
          break;
        }
        case 2:
        case 3: {
          const wire::SetData request{path(), std::string(number(5), 'x'), version};
          got = scene.code(me, request);
          wanted = model.set(request, scene.zxid, scene.time);
          break;
        }
        case 4: {
          if (number(4) != 0) continue;
          got = wanted = scene.code(me, wire::CloseSession{});
          model.close(1, scene.zxid);
          me = scene.client(1);
          break;
        }
        default: {
          const auto request = create(path(), static_cast<CreateMode>(number(4)), std::string(number(5), 'x'));
          got = scene.code(me, request);
          wanted = model.create(request, 1, scene.zxid, scene.time);
        }
      }
      ++codes[got];
      ASSERT_EQ(got, wanted);
      ASSERT_EQ(scene.engine.tree().size(), model.nodes().size());
      for (const auto& [each, stat] : model.nodes()) {
        ASSERT_TRUE(scene.is_there(each)) << each;
        ASSERT_EQ(scene.stat(each), stat) << each;
      }
    }
    ASSERT_EQ(testing::faults(scene.engine), std::vector<std::string>{});
  }
  // Everything was tried.
  for (const auto code : {Code::ok, Code::no_node, Code::node_exists, Code::not_empty, Code::bad_version,
                          Code::no_children_for_ephemerals}) {
    EXPECT_GT(codes[code], 20) << static_cast<int>(code);
  }
}

}  // namespace
}  // namespace holdfast::engine
