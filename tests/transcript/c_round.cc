// c_round -- what ZooKeeper's C client sees of a server where cli_mt has no command for it: ACLs and multis.
//
//   c_round <host:port>
//
// One line for each step, as normalise.h reads them.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <future>
#include <string>
#include <vector>

#include "support/plain_client.h"

namespace holdfast::testing {
namespace {

// Longer than any data in this round.
constexpr std::size_t kBuffer = 256;

void say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

std::string describe(const Stat& stat) {
  return fmt::format(
      "czxid={:x} mzxid={:x} pzxid={:x} version={} cversion={} aversion={} ephemeralOwner = {:x} dataLength={} "
      "numChildren={}",
      stat.czxid, stat.mzxid, stat.pzxid, stat.version, stat.cversion, stat.aversion,
      static_cast<std::uint64_t>(stat.ephemeralOwner), stat.dataLength, stat.numChildren);
}

// The Stat is worth something only when it went well.
void report(const std::string& what, int result, const Stat& stat) {
  say(fmt::format("{}: rc = {}{}", what, result, result == ZOK ? " " + describe(stat) : ""));
}

void report(const std::string& what, int result) { say(fmt::format("{}: rc = {}", what, result)); }

int create(const PlainClient& client, const std::string& path, const ACL_vector& acl, int mode = 0) {
  return zoo_create(client.handle(), path.c_str(), "new", 3, &acl, mode, nullptr, 0);
}

void get(const PlainClient& client, const std::string& what, const std::string& path) {
  std::array<char, kBuffer> data{};
  auto size = static_cast<int>(data.size());
  Stat stat{};
  const int result = zoo_get(client.handle(), path.c_str(), 0, data.data(), &size, &stat);
  report(what, result, stat);
  if (result == ZOK) say("  " + std::string(data.data(), static_cast<std::size_t>(size)));
}

void get_acl(const PlainClient& client, const std::string& what, const std::string& path) {
  ACL_vector acl{};
  Stat stat{};
  const int result = zoo_get_acl(client.handle(), path.c_str(), &acl, &stat);
  report(what, result, stat);
  if (result != ZOK) return;
  for (int i = 0; i < acl.count; ++i) {
    say(fmt::format("  {}:{}:{}", acl.data[i].perms, acl.data[i].id.scheme, acl.data[i].id.id));
  }
  deallocate_ACL_vector(&acl);
}

void add_auth(const PlainClient& client, const std::string& credentials) {
  std::promise<int> done;
  const auto answered = [](int result, const void* promise) {
    const_cast<std::promise<int>*>(static_cast<const std::promise<int>*>(promise))->set_value(result);
  };
  const auto size = static_cast<int>(credentials.size());
  const int sent = zoo_add_auth(client.handle(), "digest", credentials.c_str(), size, answered, &done);
  report("addauth", sent == ZOK ? done.get_future().get() : sent);
}

void acls(PlainClient& client, PlainClient& stranger) {
  report("create", create(client, "/r", ZOO_OPEN_ACL_UNSAFE));
  report("auth without an identity", create(client, "/r/hers", ZOO_CREATOR_ALL_ACL));
  add_auth(client, "ann:secret");
  report("create for oneself", create(client, "/r/hers", ZOO_CREATOR_ALL_ACL));
  get_acl(client, "getAcl", "/r/hers");
  get(client, "get", "/r/hers");
  get(stranger, "get by a stranger", "/r/hers");
  get_acl(stranger, "getAcl by a stranger", "/r/hers");
  report("set by a stranger", zoo_set(stranger.handle(), "/r/hers", "x", 1, -1));
  report("setAcl -v 7", zoo_set_acl(client.handle(), "/r/hers", 7, &ZOO_READ_ACL_UNSAFE));
  report("setAcl", zoo_set_acl(client.handle(), "/r/hers", 0, &ZOO_READ_ACL_UNSAFE));
  get_acl(stranger, "getAcl by a stranger", "/r/hers");
  get(stranger, "get by a stranger", "/r/hers");
  report("set by a stranger", zoo_set(stranger.handle(), "/r/hers", "x", 1, -1));
  const ACL_vector none{};
  report("no ACL at all", create(client, "/r/none", none));
}

void multi(const PlainClient& client, const std::string& what, const std::vector<zoo_op_t>& operations) {
  std::vector<zoo_op_result_t> results(operations.size());
  const int count = static_cast<int>(operations.size());
  report(what, zoo_multi(client.handle(), count, operations.data(), results.data()));
  for (const zoo_op_result_t& result : results) report("  part", result.err);
}

void multis(const PlainClient& client) {
  std::array<char, kBuffer> first{};
  std::array<char, kBuffer> second{};
  Stat stat{};
  std::vector<zoo_op_t> operations(5);
  zoo_check_op_init(&operations[0], "/r", 0);
  zoo_create_op_init(&operations[1], "/r/a", "a", 1, &ZOO_OPEN_ACL_UNSAFE, 0, first.data(), kBuffer);
  zoo_create_op_init(&operations[2], "/r/a/seq-", "b", 1, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL | ZOO_SEQUENCE,
                     second.data(), kBuffer);
  zoo_set_op_init(&operations[3], "/r", "by multi", 8, 0, &stat);
  zoo_delete_op_init(&operations[4], "/r/hers", -1);
  multi(client, "multi", operations);
  say(fmt::format("  {} {} {}", first.data(), second.data(), describe(stat)));
  get(client, "get", "/r");

  operations.resize(3);
  zoo_create_op_init(&operations[0], "/r/b", "b", 1, &ZOO_OPEN_ACL_UNSAFE, 0, first.data(), kBuffer);
  zoo_delete_op_init(&operations[1], "/r/a", -1);
  zoo_check_op_init(&operations[2], "/r", 0);
  multi(client, "multi with a parent", operations);
  report("nothing came of it", zoo_exists(client.handle(), "/r/b", 0, nullptr));
  report("stat", zoo_exists(client.handle(), "/r", 0, &stat), stat);
}

int run(const std::string& address) {
  PlainClient client(address);
  PlainClient stranger(address);
  acls(client, stranger);
  multis(client);
  say("done");
  return 0;
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  zoo_set_debug_level(static_cast<ZooLogLevel>(0));
  return argc == 2 ? holdfast::testing::run(argv[1]) : 2;
}
