#include "measure/library_session.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "support/plain_client.h"

namespace holdfast::bench {
namespace {

constexpr std::chrono::seconds kSessionTimeout{30};
constexpr std::size_t kPathLimit = 256;
const std::string kData(16, 'x');

class LibrarySession final : public Session {
 public:
  explicit LibrarySession(std::uint16_t port) : client_(fmt::format("127.0.0.1:{}", port), kSessionTimeout) {}

  void make_directory(const std::string& path) override {
    if (const int code = client_.create(path); code != ZNODEEXISTS) must(code, "create");
  }
  std::string create_ticket(const std::string& prefix) override {
    std::array<char, kPathLimit> path{};
    must(zoo_create(client_.handle(), prefix.c_str(), kData.data(), static_cast<int>(kData.size()),
                    &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL | ZOO_SEQUENCE, path.data(), static_cast<int>(path.size())),
         "create");
    return path.data();
  }
  std::size_t children(const std::string& path) override {
    String_vector found{};
    must(zoo_get_children(client_.handle(), path.c_str(), 0, &found), "getChildren");
    const auto count = static_cast<std::size_t>(found.count);
    deallocate_String_vector(&found);
    return count;
  }
  void remove(const std::string& path) override { must(client_.remove(path), "delete"); }
  void set(const std::string& path) override {
    must(zoo_set(client_.handle(), path.c_str(), kData.data(), static_cast<int>(kData.size()), -1), "setData");
  }
  void get(const std::string& path) override {
    std::array<char, kPathLimit> data{};
    int size = static_cast<int>(data.size());
    must(zoo_get(client_.handle(), path.c_str(), 0, data.data(), &size, nullptr), "getData");
  }

 private:
  testing::PlainClient client_;
};

}  // namespace

void must(int code, const char* what) {
  if (code != ZOK) throw std::runtime_error(fmt::format("{}: {}", what, zerror(code)));
}

std::unique_ptr<Session> connect_library(std::uint16_t port) { return std::make_unique<LibrarySession>(port); }

}  // namespace holdfast::bench
