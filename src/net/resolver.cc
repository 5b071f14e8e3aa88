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

// Flags: AI_NUMERICHOST for numbers only, which never blocks.
Resolved look_up(const ServerAddresses& servers, int flags, Names names) {
  Resolved result;
  for (const auto& server : servers) {
    if (server.is_path()) {
      result.servers.push_back(server);
      continue;
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* found = nullptr;
    if (const int error = ::getaddrinfo(server.host.c_str(), nullptr, &hints, &found); error != 0) {
      result.trouble += fmt::format("{}{}: {}", result.trouble.empty() ? "" : "; ", server.host, ::gai_strerror(error));
      continue;
    }
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
      std::array<char, NI_MAXHOST> number{};
      if (::getnameinfo(each->ai_addr, each->ai_addrlen, number.data(), number.size(), nullptr, 0, NI_NUMERICHOST) != 0)
        continue;
      const bool is_name = names == Names::kept && server.host != number.data();
      result.servers.push_back({number.data(), server.port, is_name ? server.host : ""});
    }
    ::freeaddrinfo(found);
  }
  return result;
}

}  // namespace

Resolved look_up(const ServerAddresses& servers, Names names) { return look_up(servers, 0, names); }

// Shared with the thread, which is not joined.
struct Resolver::Job {
  std::mutex mutex;
  spi::Executor* executor;  // none once cancelled
};

void Resolver::resolve(const ServerAddresses& servers, Done done) {
  cancel();
  if (auto numbers = look_up(servers, AI_NUMERICHOST, names_); numbers.trouble.empty()) {
    return executor_.post([done = std::move(done), numbers = std::move(numbers)] { done(numbers.servers, {}); });
  }
  job_ = std::make_shared<Job>();
  job_->executor = &executor_;
  base::start_thread("hf-dns", [job = job_, servers, names = names_, done = std::move(done)] {
    auto result = look_up(servers, names);
    const std::lock_guard lock(job->mutex);
    if (job->executor == nullptr) return;
    job->executor->post([job, done, result = std::move(result)] {
      if (job->executor != nullptr) done(result.servers, result.trouble);
    });
  }).detach();
}

void Resolver::cancel() {
  if (!job_) return;
  const std::lock_guard lock(job_->mutex);
  job_->executor = nullptr;
}

}  // namespace holdfast::net
