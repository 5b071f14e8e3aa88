// reply_text.h -- what a server sent, in words.
//
// Every byte is accounted for: what does not belong to a reply of its kind is shown as such. Zxids and session ids,
// which no two servers share, are marked for transcript.h; times are reduced to how they relate to each other; lists
// whose order ZooKeeper leaves to its hash tables are sorted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::testing {

std::string zxid_mark(std::int64_t zxid);
std::string session_mark(std::int64_t session);

// The frame without its length, and the operation it answers.
std::string reply_text(std::int32_t op, std::string_view frame);
std::string event_text(std::string_view frame);

}  // namespace holdfast::testing
