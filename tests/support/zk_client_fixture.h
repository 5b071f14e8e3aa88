// zk_client_fixture.h -- a session over lines that the test holds in its hand: what is said on them, when, and what comes back.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/manual_executor.h"
#include "wire/jute.h"
#include "zk/client.h"
#include "zk/fake_line.h"

namespace holdfast::zk {

using namespace std::chrono_literals;
using wire::EventType;

class ZooKeeperClient : public ::testing::Test {
 protected:
  std::shared_ptr<Client> open(const std::string& hosts = "a:1",
                               Client::Options options = {.session_timeout = 9'000ms}) {
    auto client = std::make_shared<Client>(
        executor_,
        [this](const net::ServerAddress& server, Clock::duration timeout, Line::Events events) {
          timeout_ = timeout;
          lines_.push_back(std::make_shared<FakeLine>(server.text(), std::move(events)));
          return lines_.back();
        },
        std::move(options),
        Client::Events{
            [this](Client::State state, auto, auto) { states_.push_back(state); },
            [this](Client::WatchId watch, EventType type, const std::string&) { fired_.emplace_back(watch, type); },
            [this] { ++no_service_; }});
    client->open(*net::parse_servers(hosts));
    return client;
  }
  FakeLine& line() { return *lines_.back(); }
  void lose() { line().events.lost("for the test"); }
  Client::Done keep() {
    return [this](Answer answer) { answers_.push_back(std::move(answer)); };
  }
  static std::string stat() {
    wire::Writer writer;
    encode(writer, wire::Stat{.czxid = 5});
    return writer.take();
  }
  static std::string text_and_stat(const std::string& text) {
    wire::Writer writer;
    writer.text(text);
    return writer.take() + stat();
  }

  testing::ManualExecutor executor_;
  std::vector<std::shared_ptr<FakeLine>> lines_;
  Clock::duration timeout_{};
  std::vector<Client::State> states_;
  std::vector<std::pair<Client::WatchId, EventType>> fired_;
  std::vector<Answer> answers_;
  int no_service_ = 0;
};

}  // namespace holdfast::zk
