#include "cli/shell/watch_list.h"

#include <gtest/gtest.h>

#include "wire/request.h"

namespace holdfast::cli::shell {
namespace {

using wire::EventType;

wire::SetWatches only_request(const WatchList& list) {
  const auto requests = list.requests(7);
  EXPECT_EQ(requests.size(), 1u);
  wire::Reader reader(requests.at(0).body);
  return std::get<wire::SetWatches>(wire::decode_request(requests.at(0).op, reader));
}

TEST(ShellWatches, are_set_again_as_they_were) {
  WatchList list;
  EXPECT_TRUE(list.requests(7).empty());
  list.add(Watch::data, "/d");
  list.add(Watch::exist, "/e");
  list.add(Watch::children, "/c");
  EXPECT_EQ(list.requests(7).at(0).op, wire::Op::set_watches) << "which servers before 3.6 know";
  list.add(Watch::persistent, "/p");
  list.add(Watch::recursive, "/r");
  const auto set = only_request(list);
  EXPECT_EQ(set.relative_zxid, 7);
  EXPECT_EQ(set.data, std::vector<std::string>{"/d"});
  EXPECT_EQ(set.exist, std::vector<std::string>{"/e"});
  EXPECT_EQ(set.children, std::vector<std::string>{"/c"});
  EXPECT_EQ(set.persistent, std::vector<std::string>{"/p"});
  EXPECT_EQ(set.recursive, std::vector<std::string>{"/r"});
}

TEST(ShellWatches, that_fired_are_not_set_again) {
  WatchList list;
  const auto all = [&] {
    for (const auto kind : {Watch::data, Watch::exist, Watch::children, Watch::persistent}) list.add(kind, "/a");
  };
  all();
  list.fired(EventType::node_children_changed, "/a");
  EXPECT_EQ(only_request(list).children.size(), 0u);
  EXPECT_EQ(only_request(list).data.size(), 1u);
  all();
  list.fired(EventType::node_data_changed, "/a");
  EXPECT_EQ(only_request(list).children.size(), 1u);
  EXPECT_EQ(only_request(list).data.size() + only_request(list).exist.size(), 0u);
  all();
  list.fired(EventType::node_deleted, "/a");
  EXPECT_EQ(only_request(list).children.size() + only_request(list).data.size(), 0u);
  EXPECT_EQ(only_request(list).persistent.size(), 1u) << "stays";
}

TEST(ShellWatches, are_removed_by_their_kind) {
  WatchList list;
  for (const auto kind : {Watch::data, Watch::children, Watch::recursive}) list.add(kind, "/a");
  list.remove(wire::WatchKind::children, "/a");
  EXPECT_EQ(only_request(list).children.size(), 0u);
  EXPECT_EQ(only_request(list).data.size(), 1u);
  list.remove(wire::WatchKind::any, "/a");
  EXPECT_TRUE(list.empty());
}

TEST(ShellWatches, of_any_number_fit_into_what_a_server_takes) {
  WatchList list;
  for (int i = 0; i < 10'000; ++i) list.add(Watch::data, "/" + std::string(90, 'x') + std::to_string(i));
  std::size_t set = 0;
  for (const auto& request : list.requests(1)) {
    EXPECT_LT(request.body.size(), 200'000u);
    wire::Reader reader(request.body);
    set += std::get<wire::SetWatches>(wire::decode_request(request.op, reader)).data.size();
  }
  EXPECT_EQ(set, 10'000u);
}

}  // namespace
}  // namespace holdfast::cli::shell
