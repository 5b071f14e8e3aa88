#include "zk/sasl_login.h"

#include <fmt/format.h>

#include <mutex>
#include <system_error>
#include <utility>

#include "base/thread.h"
#include "zk/sasl_steps.h"

namespace holdfast::zk {

// Shared with the thread of a step, which is not joined.
struct SaslLogin::Job : std::enable_shared_from_this<Job> {
  Job(spi::Executor& e, const SaslOptions& options, const std::string& host, Events ev)
      : executor(&e), events(std::move(ev)), steps(options, host, [this] { return wanted(); }) {}

  template <class Work>
  void run(Work work) {
    try {
      base::start_thread("hf-login", [self = shared_from_this(), work = std::move(work)] {
        self->tell(work(self->steps));
      }).detach();
    } catch (const std::system_error& error) {
      tell(tl::unexpected(SaslSteps::Failure{fmt::format("cannot start a thread for the login: {}", error.what())}));
    }
  }

  void tell(SaslSteps::Result result) {
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

  void stepped(const SaslSteps::Result& result) {
    if (!result) return events.failed(result.error().why, result.error().for_good);
    if (result->done) return events.done();
    events.say(result->token);
  }

  std::mutex mutex;
  spi::Executor* executor;  // none once the login is destroyed
  const Events events;
  SaslSteps steps;  // used by one thread after the other
};

SaslLogin::SaslLogin(spi::Executor& executor, const SaslOptions& options, const std::string& host, Events events)
    : job_(std::make_shared<Job>(executor, options, host, std::move(events))) {
  job_->run([](SaslSteps& steps) { return steps.start(); });
}

SaslLogin::~SaslLogin() {
  const std::lock_guard lock(job_->mutex);
  job_->executor = nullptr;
}

void SaslLogin::answered(wire::Code code, const wire::Buffer& challenge) {
  job_->run([code, challenge](SaslSteps& steps) { return steps.answered(code, challenge); });
}

}  // namespace holdfast::zk
