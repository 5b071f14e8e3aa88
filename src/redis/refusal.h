// refusal.h -- what an error of a Redis means for a client, in words for people.
#pragma once

#include <string>

#include "resp/value.h"

namespace holdfast::redis {

struct Refusal {
  // Asking again does not help until an operator or the user of the client has changed something.
  bool final = false;
  std::string why{};  // "it wants a password; write it into the URL: redis://user:password@host"
  // Of a script: nothing was executed, and it may be when it is asked for later.
  bool passes = false;
  // Another server has to be asked: this one is not the master.
  bool is_not_the_master = false;
};

// For an error that came instead of the answer to `command`, given by its first word: "HELLO".
Refusal refusal_of(const resp::Value& error, std::string_view command);

}  // namespace holdfast::redis
