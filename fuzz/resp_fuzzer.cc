// resp_fuzzer.cc -- what a server of Redis' protocol says, or one that only pretends to.
//
// The first byte is the size of the pieces in which the rest arrives. What is read is taken for an error, and for what lies under the key of a
// lock, as the scripts say it (backend/redis/cell_scripts.h).
#include <cstdint>

#include "backend/redis/cell_layout.h"
#include "fuzz/script.h"
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
    if (value.is_error()) require(!holdfast::redis::refusal_of(value, "HELLO").why.empty(), "an error says something");
  }
  return 0;
}
