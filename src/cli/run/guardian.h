// guardian.h -- the wrapper's end of its guardian.
//
// Thread safety: none but where said; the main thread has it.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/descriptor.h"
#include "cli/run/guard_message.h"
#include "cli/run/guard_process.h"
#include "lock/session_key.h"

namespace holdfast::cli {

class Guardian {
 public:
  // Forks. Make it before the first thread. `mask` is the command's. Throws std::system_error. When it is destroyed the guardian sees
  // that we are gone, and ends what runs.
  Guardian(const Run& run, const sigset_t& mask);

  pid_t pid() const noexcept { return pid_; }
  int socket() const noexcept { return socket_.get(); }

  void start(std::uint64_t token, const HoldTerms& terms, Clock::time_point valid_until);
  // Sent only if it is new.
  void renew(Clock::time_point valid_until);
  void end();
  // The session to end if we are killed, once nothing of the command lives. Any thread.
  void tell_session(const lock::SessionKey& key);
  void forward(int signal);
  // We have heard how the command ended. The guardian ends without touching what was left behind.
  void done();

  // What it has said, if anything; does not wait.
  std::optional<FromGuardian> hear();
  // It has died, or was killed, without telling how the command ended.
  bool dead() const noexcept { return dead_; }

 private:
  void send(const ToGuardian& order);

  pid_t pid_ = 0;
  base::Descriptor socket_;
  bool dead_ = false;
  Clock::time_point valid_until_{};
};

}  // namespace holdfast::cli
