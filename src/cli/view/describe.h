// describe.h -- locks and tickets in words, for a person.
//
// Whatever came from elsewhere (names, cards, node data) is printable here: no control character of another client reaches a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/inspect.h"

namespace holdfast::cli {

using Time = std::chrono::system_clock::time_point;

std::string shown(std::string_view text);

// RFC 3339 in UTC: "2024-11-15T20:26:40.123Z".
std::string shown_time(Time time);
// The two largest units: "850ms", "12s", "4m10s", "2h05m", "3d04h".
std::string shown_age(std::chrono::milliseconds age);
// How long the ticket is there. Clocks of two machines differ; it is never negative.
std::chrono::milliseconds age_of(const TicketInfo& ticket, Time now);
// The same for people; "?" if the ticket does not say when it was made, as those of other libraries on Redis.
std::string shown_age_of(const TicketInfo& ticket, Time now);

// "mutex", "read_write", "semaphore". Of a lock that is neither held nor waited for, which has no kind: "mutex".
std::string_view kind_of(const LockInfo& lock);
// The same, but of a read/write lock that is held whether readers or a writer has it.
std::string_view held_as(const LockInfo& lock, const std::vector<TicketInfo>& holders);
// "exclusive", "write", "read", "permit".
std::string_view to_string(LockMode mode);

// In queue order. Of a semaphore, the permits that are taken.
std::vector<TicketInfo> holders_of(const LockInfo& lock);
std::vector<TicketInfo> waiting_of(const LockInfo& lock);

// Who: "billing (pid 812) on web1: monthly run"; of a stranger "10.0.0.7 (Curator)".
std::string who(const TicketInfo& ticket);
// The same of several: the first, and how many more.
std::string who(const std::vector<TicketInfo>& tickets);

// What is not as it should be: "2 orphans", "mixed recipes", "near overflow", "unreadable", "asked".
std::vector<std::string> marks_of(const LockInfo& lock);

}  // namespace holdfast::cli
