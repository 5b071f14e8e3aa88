// record_fuzzer.cc -- records of a log and of a snapshot whose checksums were right, whatever is in them.
//
// Each entry of the script is one record; bit 0 of its control byte says whether it is of a snapshot.
#include <cstdint>

#include "engine/change.h"
#include "engine/engine.h"
#include "fuzz/script.h"
#include "support/engine/state.h"

namespace holdfast::fuzz {
namespace {

void replay(engine::Engine& engine, std::string_view bytes) {
  engine::Transaction transaction;
  const bool readable = engine::decode(bytes, transaction);
  if (readable) {
    engine::Transaction again;
    require(engine::decode(encode(transaction), again), "what was read can be written and read again");
    require(encode(again) == encode(transaction), "and says the same");
  }
  require(engine.replay(bytes, engine::Moment(0)) == readable, "what can be read can be replayed");
}

}  // namespace
}  // namespace holdfast::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast;
  fuzz::Script script(data, size);
  engine::Engine engine;
  while (const auto entry = script.next()) {
    if ((entry->control & 1) != 0) {
      (void)engine.restore(entry->content, engine::Moment(0));
    } else {
      fuzz::replay(engine, entry->content);
    }
  }
  fuzz::require_none(testing::faults(engine));
  // What it has become can be kept like any other state.
  engine::Engine restored;
  engine.begin_snapshot();
  while (const auto record = engine.next_snapshot_record()) {
    fuzz::require(restored.restore(*record, engine::Moment(0)), "the snapshot is readable");
  }
  fuzz::require(testing::describe(restored) == testing::describe(engine), "the snapshot gives the same state");
  return 0;
}
