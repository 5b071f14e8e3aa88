#include "measure/lean_session.h"

#include <fmt/format.h>

#include <stdexcept>

#include "support/socket_client.h"
#include "wire/jute.h"
#include "wire/protocol.h"
#include "wire/records.h"

namespace holdfast::bench {
namespace {

constexpr std::int32_t kSessionTimeout = 60'000;
constexpr std::int32_t kEphemeralSequential = 3;
constexpr std::int32_t kAnyVersion = -1;
const std::string kData(16, 'x');
const wire::AclList kOpen{{wire::permission::kAll, {"world", "anyone"}}};

class LeanSession final : public Session {
 public:
  explicit LeanSession(std::uint16_t port) : client_(port) {
    wire::Writer hello;
    encode(hello,
           wire::ConnectRequest{.timeout = kSessionTimeout, .password = std::string(16, '\0'), .has_read_only = true});
    if (!client_.send_frame(hello.bytes())) throw std::runtime_error("cannot send");
    const std::string answer = client_.receive_frame();
    wire::Reader reader(answer);
    wire::ConnectResponse response;
    if (!decode(reader, response) || response.session == 0) throw std::runtime_error("no session");
  }

  void make_directory(const std::string& path) override {
    wire::Code code{};
    (void)ask(wire::Op::create, created(path, 0), code);
    if (code != wire::Code::ok && code != wire::Code::node_exists) refuse(code);
  }
  std::string create_ticket(const std::string& prefix) override {
    const std::string answer = must_ask(wire::Op::create, created(prefix, kEphemeralSequential));
    wire::Reader reader(answer);
    return reader.text();
  }
  std::size_t children(const std::string& path) override {
    const std::string answer = must_ask(wire::Op::get_children, watchless(path));
    wire::Reader reader(answer);
    return reader.texts().size();
  }
  void remove(const std::string& path) override {
    wire::Writer request;
    request.text(path);
    request.i32(kAnyVersion);
    (void)must_ask(wire::Op::remove, request);
  }
  void set(const std::string& path) override {
    wire::Writer request;
    request.text(path);
    request.buffer(kData);
    request.i32(kAnyVersion);
    (void)must_ask(wire::Op::set_data, request);
  }
  void get(const std::string& path) override { (void)must_ask(wire::Op::get_data, watchless(path)); }

 private:
  static wire::Writer created(const std::string& path, std::int32_t flags) {
    wire::Writer request;
    request.text(path);
    request.buffer(kData);
    encode(request, kOpen);
    request.i32(flags);
    return request;
  }
  static wire::Writer watchless(const std::string& path) {
    wire::Writer request;
    request.text(path);
    request.boolean(false);
    return request;
  }

  [[noreturn]] static void refuse(wire::Code code) {
    throw std::runtime_error(fmt::format("the server answers with error {}", static_cast<int>(code)));
  }
  std::string must_ask(wire::Op op, const wire::Writer& request) {
    wire::Code code{};
    std::string answer = ask(op, request, code);
    if (code != wire::Code::ok) refuse(code);
    return answer;
  }
  // What follows the header of the answer.
  std::string ask(wire::Op op, const wire::Writer& request, wire::Code& code) {
    wire::Writer frame;
    frame.i32(++xid_);
    frame.i32(static_cast<std::int32_t>(op));
    frame.raw(request.bytes());
    if (!client_.send_frame(frame.bytes())) throw std::runtime_error("cannot send");
    const std::string answer = client_.receive_frame();
    wire::Reader reader(answer);
    const auto xid = reader.i32();
    (void)reader.i64();
    code = static_cast<wire::Code>(reader.i32());
    if (!reader.ok() || xid != xid_) throw std::runtime_error("no answer");
    return answer.substr(answer.size() - reader.left());
  }

  testing::SocketClient client_;
  std::int32_t xid_ = 0;
};

}  // namespace

std::unique_ptr<Session> connect_lean(std::uint16_t port) { return std::make_unique<LeanSession>(port); }

}  // namespace holdfast::bench
