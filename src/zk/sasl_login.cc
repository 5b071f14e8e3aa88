#include "zk/sasl_login.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>

#include "base/thread.h"
#include "net/sasl_client.h"

namespace holdfast::zk {
namespace {

// ZooKeeper's servers call themselves that for DIGEST-MD5, wherever they are.
constexpr auto kDigestHost = "zk-sasl-md5";
constexpr std::size_t kMostPassword = 1'024;

tl::expected<std::string, std::string> read_password(const std::string& file) {
  const auto cannot = [&](const std::string& why) {
    return tl::unexpected(fmt::format("cannot use the password file {}: {}", file, why));
  };
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return cannot(std::generic_category().message(errno));
  std::array<char, kMostPassword> bytes;
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  const auto got = ::read(fd, bytes.data(), bytes.size());
  const int error = errno;
  ::close(fd);
  if (got < 0 || !known) return cannot(std::generic_category().message(error));
  if (S_ISREG(status.st_mode) && (status.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    return cannot(fmt::format("every user of this machine may read or write it; chmod o= {}", file));
  }
  std::string password(bytes.data(), static_cast<std::size_t>(got));
  password.erase(std::min(password.find_first_of("\r\n"), password.size()));
  if (password.empty()) return cannot("its first line is empty");
  return password;
}

}  // namespace

// Shared with the thread of a step, which is not waited for.
struct SaslLogin::Job : std::enable_shared_from_this<Job> {
  Job(spi::Executor& e, SaslOptions o, std::string h, Events ev)
      : executor(&e), options(std::move(o)), host(std::move(h)), events(std::move(ev)) {}

  using Result = tl::expected<net::SaslClient::Step, std::string>;

  template <class Work>
  void run(Work work) {
    try {
      base::start_thread("hf-login", [self = shared_from_this(), work = std::move(work)] {
        self->tell(work(*self));
      }).detach();
    } catch (const std::system_error& error) {
      tell(tl::unexpected(fmt::format("cannot start a thread for the login: {}", error.what())));
    }
  }

  void tell(Result result) {
    const std::lock_guard lock(mutex);
    if (executor == nullptr) return;
    executor->post([self = shared_from_this(), result = std::move(result)] {
      if (self->executor != nullptr) self->stepped(result);
    });
  }

  bool wanted() {
    const std::lock_guard lock(mutex);
    return executor != nullptr;
  }

  Result start() {
    net::SaslClient::Login login{.mechanism = options.mechanism,
                                 .service = options.service,
                                 .host = host,
                                 .user = options.user,
                                 .wanted = [weak = weak_from_this()] {
                                   const auto self = weak.lock();
                                   return self && self->wanted();
                                 }};
    if (options.mechanism != "GSSAPI") {
      login.host = kDigestHost;
      auto password = read_password(options.password_file);
      if (!password) return tl::unexpected(password.error());
      login.password = *std::move(password);
    }
    auto begun = net::SaslClient::begin(login);
    if (!begun) return tl::unexpected(begun.error());
    client.emplace(std::move(*begun));
    return client->start();
  }

  void stepped(const Result& result) {
    if (!result) return events.failed(result.error(), false);
    complete = result->complete;
    // A first token is empty if the server has to begin.
    if (complete && result->token.empty() && steps > 0) return events.done();
    ++steps;
    events.say(result->token);
  }

  void answered(wire::Code code, const wire::Buffer& challenge) {
    if (code != wire::Code::ok) return events.failed(refusal(), true);
    if (complete) return events.done();
    if (!challenge) return events.failed(no_challenge(), true);
    run([challenge = *challenge](Job& self) { return self.client->step(challenge); });
  }

  std::string refusal() const {
    if (steps == 1 && options.mechanism != "GSSAPI") return not_offered();
    if (options.mechanism == "GSSAPI") {
      return fmt::format(
          "it refuses the login by GSSAPI; does it have a keytab for {}/{}, and log in by Kerberos itself?",
          options.service, host);
    }
    return fmt::format("it refuses the login of user \"{}\"; correct sasl.user, or the password in {}", options.user,
                       options.password_file);
  }

  std::string no_challenge() const { return steps == 1 ? not_offered() : refusal(); }

  std::string not_offered() const {
    return fmt::format(
        "it does not offer a login by {}; give the server a JAAS section \"Server\" for it, or leave sasl out",
        options.mechanism);
  }

  std::mutex mutex;
  spi::Executor* executor;  // none once the login is gone
  const SaslOptions options;
  const std::string host;
  const Events events;
  std::optional<net::SaslClient> client;  // of one thread after the other
  int steps = 0;                          // tokens that were sent
  bool complete = false;                  // of our side
};

SaslLogin::SaslLogin(spi::Executor& executor, const SaslOptions& options, const std::string& host, Events events)
    : job_(std::make_shared<Job>(executor, options, host, std::move(events))) {
  job_->run([](Job& job) { return job.start(); });
}

SaslLogin::~SaslLogin() {
  const std::lock_guard lock(job_->mutex);
  job_->executor = nullptr;
}

void SaslLogin::answered(wire::Code code, const wire::Buffer& challenge) {
  const auto job = job_;  // an event may destroy this login
  job->answered(code, challenge);
}

}  // namespace holdfast::zk
