// The line over TCP in a real loop, to somebody who only listens. What goes over it otherwise is shown with real servers.
#include "zk/socket_line.h"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <future>

#include "lock/loop.h"

namespace holdfast::zk {
namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

class SocketLineTest : public ::testing::Test {
 protected:
  ~SocketLineTest() override {
    loop_.enter([&] {
      if (line_) line_->let_go();
    });
  }

  void dial(Clock::duration patience) {
    const net::ServerAddress server{"127.0.0.1", std::to_string(listener_.local_endpoint().port())};
    loop_.enter([&] {
      line_ = SocketLine::make(loop_, server, patience,
                               {[](std::string_view) {}, [this](const std::string& why) { lost_.set_value(why); }});
      line_->send("hello");
    });
  }
  // What was said, to its end.
  std::string heard() {
    auto peer = listener_.accept();
    std::string bytes;
    std::error_code error;
    asio::read(peer, asio::dynamic_buffer(bytes), asio::transfer_exactly(9), error);
    return bytes;
  }
  std::string why_lost() {
    auto future = lost_.get_future();
    return future.wait_for(20s) == std::future_status::ready ? future.get() : "not lost";
  }

  asio::io_context context_;
  tcp::acceptor listener_{context_, {asio::ip::address_v4::loopback(), 0}};
  std::promise<std::string> lost_;
  std::shared_ptr<SocketLine> line_;
  lock::Loop loop_;
};

TEST_F(SocketLineTest, says_what_it_has_to_once_it_is_connected) {
  dial(20s);
  EXPECT_EQ(heard(), std::string("\0\0\0\5hello", 9));
}

TEST_F(SocketLineTest, is_lost_if_nothing_is_heard_in_time) {
  dial(50ms);
  EXPECT_EQ(why_lost(), "it does not answer");
}

TEST_F(SocketLineTest, is_lost_if_nobody_listens) {
  listener_.close();
  loop_.enter([&] {
    line_ = SocketLine::make(loop_, {"127.0.0.1", "1"}, 20s,
                             {[](std::string_view) {}, [this](const std::string& why) { lost_.set_value(why); }});
  });
  EXPECT_EQ(why_lost(), "Connection refused");
}

}  // namespace
}  // namespace holdfast::zk
