// lock_command.h -- the commands that show and break locks, run against an engine with locks in it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/holdfast.h"
#include "support/eventually.h"
#include "support/plain_client.h"
#include "support/process.h"
#include "support/pty.h"
#include "support/temp_dir.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {

struct Ran {
  std::optional<int> code;
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

class LockCommand : public ::testing::Test {
 protected:
  // For a starved machine; nothing waits for it when all is well.
  static constexpr std::chrono::seconds kLong{60};

  std::string url() const { return "zk://" + server_.address(); }
  Client connect(ClientOptions options = {}) const { return Client::connect(url(), std::move(options)); }

  // `holdfast` with these words, and where the engine is.
  std::vector<std::string> words(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), HOLDFAST_COMMAND);
    arguments.insert(arguments.end(), {"--url", url(), "--connect-timeout", "60s"});
    return arguments;
  }

  // Runs to its end, with nothing on stdin.
  Ran run(std::vector<std::string> arguments) const { return run_program(words(std::move(arguments))); }
  static Ran run_program(std::vector<std::string> argv) {
    const TempDir dir("ran");
    Process process({.argv = std::move(argv), .stdout_file = dir / "out", .stderr_file = dir / "err"});
    process.close_stdin();
    const auto code = process.wait(kLong);
    return {code, content(dir / "out"), content(dir / "err")};
  }
  static std::string content(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // A node as some other client would make it, below the queue of a name that somebody of ours has used.
  void make_foreign(const std::string& name, const std::string& node, const std::string& text,
                    int flags = ZOO_EPHEMERAL) {
    if (!other_) other_.emplace(server_.address());
    connect().mutex(name).acquire().release_for(kLong);
    const auto path = "/" + name + "/" + node;
    ASSERT_EQ(zoo_create(other_->handle(), path.c_str(), text.data(), static_cast<int>(text.size()),
                         &ZOO_OPEN_ACL_UNSAFE, flags, nullptr, 0),
              ZOK);
  }

  // A client that waits for a name, and has it once it is its turn, until it is destroyed.
  class Waiting {
   public:
    Waiting(Client client, const std::string& name)
        : client_(std::move(client)), result_(std::async(std::launch::async, [mutex = client_.mutex(name)]() mutable {
            return mutex.try_acquire_for(kLong);
          })) {}
    ~Waiting() { client_.close(); }  // wakes it
    bool has_it() const { return result_.wait_for(kLong) == std::future_status::ready && result_.get(); }

   private:
    Client client_;
    std::shared_future<AcquireResult> result_;  // and with it the lease
  };
  void wait_for_queue(Client& client, const std::string& name, std::size_t length) {
    ASSERT_TRUE(eventually(kLong, [&] { return client.inspect(name).tickets.size() == length; }));
  }

  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  ZooKeeperServer server_{{.make = ServerMake::engine}};
  std::optional<PlainClient> other_;
};

}  // namespace holdfast::testing
