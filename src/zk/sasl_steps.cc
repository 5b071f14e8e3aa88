#include "zk/sasl_steps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "wire/records.h"

namespace holdfast::zk {
namespace {

// The name of every ZooKeeper server for DIGEST-MD5.
constexpr auto kDigestHost = "zk-sasl-md5";
constexpr std::size_t kMostPassword = 1'024;

tl::expected<std::string, std::string> read_password(const std::string& file) {
  const auto cannot = [&](const std::string& why) {
    return tl::unexpected(fmt::format("cannot use the password file {}: {}", file, why));
  };
  const base::Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return cannot(std::generic_category().message(errno));
  std::array<char, kMostPassword> bytes;
  struct stat status {};
  const bool known = ::fstat(fd.get(), &status) == 0;
  const auto got = known ? ::read(fd.get(), bytes.data(), bytes.size()) : -1;
  if (got < 0) return cannot(std::generic_category().message(errno));
  if (S_ISREG(status.st_mode) && (status.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    return cannot(fmt::format("every user of this machine may read or write it; chmod o= {}", file));
  }
  std::string password(bytes.data(), static_cast<std::size_t>(got));
  password.erase(std::min(password.find_first_of("\r\n"), password.size()));
  if (password.empty()) return cannot("its first line is empty");
  return password;
}

}  // namespace

SaslSteps::SaslSteps(SaslOptions options, std::string host, std::function<bool()> wanted)
    : options_(std::move(options)), host_(std::move(host)), wanted_(std::move(wanted)) {}

SaslSteps::Result SaslSteps::start() {
  net::SaslClient::Login login{.mechanism = options_.mechanism,
                               .service = options_.service,
                               .host = host_,
                               .user = options_.user,
                               .wanted = wanted_};
  if (options_.mechanism != "GSSAPI") {
    login.host = kDigestHost;
    auto password = read_password(options_.password_file);
    if (!password) return tl::unexpected(Failure{password.error()});
    login.password = *std::move(password);
  }
  auto begun = net::SaslClient::begin(login);
  if (!begun) return tl::unexpected(Failure{begun.error()});
  client_.emplace(std::move(*begun));
  return next(client_->start());
}

SaslSteps::Result SaslSteps::next(const tl::expected<net::SaslClient::Step, std::string>& step) {
  if (!step) return tl::unexpected(Failure{step.error()});
  complete_ = step->complete;
  // A first token is empty if the server has to begin.
  if (complete_ && step->token.empty() && sent_ > 0) return Step{.done = true};
  ++sent_;
  return Step{.token = step->token};
}

SaslSteps::Result SaslSteps::answered(wire::Code code, const wire::Buffer& challenge) {
  if (code != wire::Code::ok) return tl::unexpected(Failure{refusal(), true});
  if (complete_) return Step{.done = true};
  if (!challenge) return tl::unexpected(Failure{sent_ == 1 ? not_offered() : refusal(), true});
  return next(client_->step(*challenge));
}

std::string SaslSteps::refusal() const {
  if (sent_ == 1 && options_.mechanism != "GSSAPI") return not_offered();
  if (options_.mechanism == "GSSAPI") {
    return fmt::format(
        "it refuses the login by GSSAPI; does it have a keytab for {}/{}, and log in by Kerberos itself?",
        options_.service, host_);
  }
  return fmt::format("it refuses the login of user \"{}\"; correct sasl.user, or the password in {}", options_.user,
                     options_.password_file);
}

std::string SaslSteps::not_offered() const {
  return fmt::format(
      "it does not offer a login by {}; give the server a JAAS section \"Server\" for it, or leave sasl out",
      options_.mechanism);
}

tl::expected<void, SaslSteps::Failure> log_in_by_sasl(net::FrameSocket& socket, const SaslOptions& options,
                                                      const std::string& host, std::int32_t xid,
                                                      Clock::time_point deadline) {
  SaslSteps steps(options, host);
  for (auto step = steps.start();; ++xid) {
    if (!step) return tl::unexpected(step.error());
    if (step->done) return {};
    wire::Writer token;
    token.text(step->token);
    socket.send(wire::request(xid, wire::Op::sasl, token.bytes()));
    const auto frame = socket.wait_for_frame(deadline);
    if (!frame) return tl::unexpected(SaslSteps::Failure{});
    wire::Reader reader(*frame);
    (void)reader.i32();  // xid
    (void)reader.i64();  // zxid
    const auto code = static_cast<wire::Code>(reader.i32());
    const auto challenge = code == wire::Code::ok ? reader.buffer() : wire::Buffer();
    if (!reader.ok()) return tl::unexpected(SaslSteps::Failure{net::FrameSocket::kGibberish, false});
    step = steps.answered(code, challenge);
  }
}

}  // namespace holdfast::zk
