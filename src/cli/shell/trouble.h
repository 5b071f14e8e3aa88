// trouble.h -- why a command failed, for a person and for a script.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "cli/shell/session.h"

namespace holdfast::cli::shell {

struct Trouble {
  std::string text;                  // one printable sentence, with the next step
  int exit_code = 1;                 // of a one-shot command, or a script that ends with it
  wire::Code code = wire::Code::ok;  // if it was the server that refused
};

template <typename T>
using Outcome = tl::expected<T, Trouble>;

// A line that makes no sense.
Trouble misuse(std::string text);

// What a question about the node at `path` came to. `changes`: it was meant to change something.
Trouble trouble_of(const Failure& failure, std::string_view path, bool changes);

}  // namespace holdfast::cli::shell
