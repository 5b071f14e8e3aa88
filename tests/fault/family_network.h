// family_network.h -- Network, for locks that are more than one queue: what they leave behind, wherever it lies.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "network.h"

namespace holdfast::testing {

class FamilyNetwork : public Network {
 protected:
  // Everything below a path but the parts that stay: the directories of semaphores and of names, and counts.
  std::vector<std::string> left_below(const std::string& path) {
    static const std::set<std::string> lasting{"leases", "locks", "count", "a", "b", "c"};
    std::vector<std::string> left;
    for (const auto& child : observer_.children(path)) {
      if (!lasting.contains(child)) left.push_back(path + "/" + child);
      const auto below = left_below(path + "/" + child);
      left.insert(left.end(), below.begin(), below.end());
    }
    return left;
  }

  // For messages.
  static std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const auto& text : texts) all += text + " ";
    return all;
  }

  // Neither a ticket nor a permit or a mark below the name, nor a watch anywhere.
  void expect_nothing_left(const std::string& name) {
    const auto path = "/" + name;
    EXPECT_TRUE(eventually(kSoon, [&] { return left_below(path).empty(); }))
        << name << ": " << joined(left_below(path));
    EXPECT_TRUE(eventually(kSoon, [&] { return server_.watch_count() == 0; })) << name << ": a watch is left";
  }

  void create(const std::string& path, int permissions, const std::string& data = {}) {
    char world[] = "world";
    char anyone[] = "anyone";
    ACL entry{permissions, {world, anyone}};
    const ACL_vector acl{1, &entry};
    const auto size = static_cast<int>(data.size());
    ASSERT_EQ(zoo_create(observer_.handle(), path.c_str(), data.data(), size, &acl, 0, nullptr, 0), ZOK) << path;
  }

  // The number of children, which needs no permission to know.
  int children_of(const std::string& path) {
    Stat stat{};
    EXPECT_EQ(zoo_exists(observer_.handle(), path.c_str(), 0, &stat), ZOK) << path;
    return stat.numChildren;
  }
};

}  // namespace holdfast::testing
