// lock_json.h -- locks as JSON, for scripts. The fields are described in docs/command.md, and stay.
//
// Every field is always there; what is not known is null. Text is ASCII with escapes, so that nothing of another client's
// acts on a terminal; bytes that are not UTF-8 become U+FFFD.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/view/describe.h"
#include "holdfast/inspect.h"

namespace holdfast::cli {

using Json = nlohmann::ordered_json;

Json ticket_json(const TicketInfo& ticket, Time now);
Json lock_json(const LockInfo& lock, Time now);

// One line, with its end.
std::string json_line(const Json& document);

}  // namespace holdfast::cli
