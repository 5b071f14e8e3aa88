// plain_client.h -- the C client with no lock library around it: what a fault does to a client by itself.
//
// Needs libzookeeper_mt, which holdfast_test_support does not link; so it is all in this header.
#pragma once

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "eventually.h"
#include "four_letter_word.h"

namespace holdfast::testing {

class PlainClient {
 public:
  // Waits for the session.
  explicit PlainClient(const std::string& address,
                       std::chrono::milliseconds session_timeout = std::chrono::seconds{10}) {
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));  // every fault a test causes would be an error here
    handle_ = zookeeper_init(address.c_str(), &PlainClient::on_event, static_cast<int>(session_timeout.count()),
                             nullptr, this, 0);
    if (handle_ == nullptr) throw std::runtime_error("zookeeper_init");
    if (!wait_connected()) {
      zookeeper_close(handle_);
      throw std::runtime_error("no session at " + address);
    }
  }
  ~PlainClient() { zookeeper_close(handle_); }
  PlainClient(const PlainClient&) = delete;
  PlainClient& operator=(const PlainClient&) = delete;

  // Asked of the handle, not remembered from events: those come after the calls they make fail.
  bool connected() const { return zoo_state(handle_) == ZOO_CONNECTED_STATE; }
  bool wait_connected(std::chrono::milliseconds within = std::chrono::seconds{10}) const {
    return eventually(within, [this] { return connected(); });
  }

  // ZooKeeper's result codes: ZOK, ZNONODE ... A connection that ends gives ZCONNECTIONLOSS; one that falls
  // silent gives ZOPERATIONTIMEOUT.
  int create(const std::string& path, int flags = 0) {
    return zoo_create(handle_, path.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, flags, nullptr, 0);
  }
  int exists(const std::string& path, bool watch = false) { return zoo_exists(handle_, path.c_str(), watch, nullptr); }
  // The children's names, by the ten digits at their end; none if there is no such node.
  std::vector<std::string> children(const std::string& path) {
    std::vector<std::string> names;
    String_vector found{};
    if (zoo_get_children(handle_, path.c_str(), 0, &found) == ZOK) {
      names.assign(found.data, found.data + found.count);
      deallocate_String_vector(&found);
    }
    const auto digits = [](const std::string& name) {
      return name.substr(name.size() - std::min<std::size_t>(name.size(), 10));
    };
    std::sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return digits(a) < digits(b); });
    return names;
  }
  int remove(const std::string& path) { return zoo_delete(handle_, path.c_str(), -1); }

  zhandle_t* handle() const noexcept { return handle_; }
  SessionId session() const { return static_cast<SessionId>(zoo_client_id(handle_)->client_id); }
  int node_events() const { return node_events_; }

 private:
  static void on_event(zhandle_t*, int type, int, const char*, void* context) {
    if (type != ZOO_SESSION_EVENT) ++static_cast<PlainClient*>(context)->node_events_;
  }

  zhandle_t* handle_ = nullptr;
  std::atomic<int> node_events_{0};
};

}  // namespace holdfast::testing
