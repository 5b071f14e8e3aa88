#include "net/resolver.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <mutex>
#include <utility>

#include "base/thread.h"

namespace holdfast::net {
namespace {

struct Result {
  std::string hosts;
  std::string trouble;
  bool needs_dns = false;
};

// Flags: AI_NUMERICHOST to look at numbers only, which never blocks.
Result look_up(const std::string& hosts, int flags, Resolver::Names names) {
  Result result;
  for (std::size_t begin = 0; begin <= hosts.size();) {
    const auto end = std::min(hosts.find(',', begin), hosts.size());
    const auto server = hosts.substr(begin, end - begin);
    begin = end + 1;
    const auto colon = server.rfind(':');
    const auto host = server.substr(0, colon);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* found = nullptr;
    const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (error != 0) {
      result.needs_dns = true;
      result.trouble += fmt::format("{}{}: {}", result.trouble.empty() ? "" : "; ", host, ::gai_strerror(error));
      continue;
    }
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
      std::array<char, NI_MAXHOST> number{};
      if (::getnameinfo(each->ai_addr, each->ai_addrlen, number.data(), number.size(), nullptr, 0, NI_NUMERICHOST) != 0)
        continue;
      if (!result.hosts.empty()) result.hosts += ',';
      if (names == Resolver::Names::kept && host != number.data()) result.hosts += host + '/';
      result.hosts += fmt::format("{}{}", number.data(), server.substr(colon));
    }
    ::freeaddrinfo(found);
  }
  return result;
}

}  // namespace

// Shared with the thread, which nobody waits for.
struct Resolver::Job {
  std::mutex mutex;
  spi::Executor* executor;  // none once cancelled
};

void Resolver::resolve(const std::string& hosts, Done done) {
  cancel();
  if (auto numbers = look_up(hosts, AI_NUMERICHOST, names_); !numbers.needs_dns) {
    return executor_.post([done = std::move(done), numbers = std::move(numbers)] { done(numbers.hosts, {}); });
  }
  job_ = std::make_shared<Job>();
  job_->executor = &executor_;
  base::start_thread("hf-dns", [job = job_, hosts, names = names_, done = std::move(done)] {
    auto result = look_up(hosts, 0, names);
    const std::lock_guard lock(job->mutex);
    if (job->executor == nullptr) return;
    job->executor->post([job, done, result = std::move(result)] {
      if (job->executor != nullptr) done(result.hosts, result.trouble);
    });
  }).detach();
}

void Resolver::cancel() {
  if (!job_) return;
  const std::lock_guard lock(job_->mutex);
  job_->executor = nullptr;
}

}  // namespace holdfast::net
