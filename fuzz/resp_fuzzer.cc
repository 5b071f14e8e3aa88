// resp_fuzzer.cc -- what a server of Redis' protocol says, or one that only pretends to.
//
// The first byte is the size of the pieces in which the rest arrives. What is read is taken for an error, for a greeting, and for what scripts answer:
// what lies under the key of a lock (backend/redis/cell_scripts.h), and a queue (backend/redis/scripts.h).
#include <cstdint>

#include "backend/redis/answers.h"
#include "backend/redis/cell_layout.h"
#include "fuzz/script.h"
#include "redis/greeting.h"
#include "redis/refusal.h"
#include "resp/reader.h"

namespace holdfast::fuzz {
namespace {

struct Read {
  std::vector<resp::Value> values;
  std::string trouble;
};

Read read(std::string_view bytes, std::size_t piece) {
  resp::Reader reader;
  Read result;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    reader.feed(bytes.substr(0, piece));
    while (auto value = reader.next()) result.values.push_back(std::move(*value));
  }
  result.trouble = reader.trouble();
  return result;
}

// As the lock believes them: tickets with a number first, and what is not a ticket after them.
void read_queue(const resp::Value& value) {
  using namespace holdfast::redis;
  const auto all = listing(item(value, 2), item(value, 3));
  require(all.size() == item(value, 2).items.size() + item(value, 3).items.size(), "nothing is left out");
  bool is_over = false;
  for (const auto& each : all) {
    require(each.sequence >= 0, "a place is a number");
    require(!is_over || each.mode == spi::Mode::none, "what is not a ticket comes last");
    is_over = each.mode == spi::Mode::none;
  }
  const auto text = text_reply(value);
  require(ticket_text(spelled(text.value)) == text.value, "what is published is understood");
  const auto count = count_reply("count", item(value, 2).text);
  require(static_cast<bool>(count) || !count.detail.empty(), "a count, or a sentence");
}

}  // namespace
}  // namespace holdfast::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast::fuzz;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = read(bytes, std::string_view::npos);
  const auto pieces = read(bytes, std::size_t{1} + data[0]);
  require(pieces.values == whole.values, "what is read does not depend on how it arrives");
  require(pieces.trouble.empty() == whole.trouble.empty(), "nor does what is refused");
  for (const auto& value : whole.values) {
    const auto stored = holdfast::redis::stored_of(value);
    require(!holdfast::redis::can_wait_for(holdfast::redis::CellKind::redisson, stored) || stored.is_lock,
            "what is waited for is a lock");
    require(!stored.is_lock || !stored.recipe.empty(), "a lock is some library's");
    read_queue(value);
    if (const auto greeting = holdfast::redis::greeting_of(value)) (void)holdfast::redis::refusal_of(*greeting);
    if (value.is_error()) require(!holdfast::redis::refusal_of(value, "HELLO").why.empty(), "an error says something");
  }
  return 0;
}
