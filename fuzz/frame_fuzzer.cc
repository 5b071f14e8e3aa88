// frame_fuzzer.cc -- frames of clients, as they come from the network, up to the state of the engine.
//
// Each entry of the script is one frame. Its control byte says who sends it, and what becomes of the batch it is in:
//
//   bits 0-1   the connection; 0 is one that has not said hello, so its frame is a hello
//   bit 2      the batch goes on: nothing settles yet
//   bit 3      of the first frame of a batch: the batch is taken back, and nothing may have changed
//   bit 4      the connection is cut first, and made again
#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "fuzz/script.h"
#include "support/engine/state.h"
#include "wire/records.h"
#include "wire/request.h"

namespace holdfast::fuzz {
namespace {

using engine::Client;
using engine::Engine;
using engine::Moment;
using engine::Outcome;
using testing::describe;

// A session ends in one piece here, so that no ephemeral outlives it.
constexpr engine::Rules kRules{
    .ttl_nodes = true, .path_depth = 16, .answer = 1 << 16, .watches = 200, .removed_at_once = ~std::size_t{0}};
constexpr std::size_t kConnections = 3;

class Server {
 public:
  Server() : engine_(kRules) {
    for (std::size_t each = 1; each <= kConnections; ++each) {
      connect(each);
      auto opened = engine_.open_session(++zxid_, time_, static_cast<wire::SessionId>(each), "word",
                                         std::chrono::seconds(30), Moment(0));
      finish({}, wire::WhoAmI{}, opened);
    }
  }

  void take(const Entry& entry) {
    const auto number = static_cast<std::size_t>(entry.control & 3);
    if (number == 0) return greet(entry.content);
    if ((entry.control & 16) != 0) {
      engine_.disconnect(number);
      while (engine_.sweep(3)) {
      }
      connect(number);
    }
    wire::Reader reader(entry.content);
    (void)reader.i32();  // xid
    const auto op = static_cast<wire::Op>(reader.i32());
    if (!reader.ok()) return;
    if (batch_.empty()) {
      taken_back_ = (entry.control & 8) != 0;
      if (taken_back_) before_ = describe(engine_);
    }
    const Client client{static_cast<wire::SessionId>(number), number};
    auto request = wire::decode_request(op, reader);
    if (wire::is_write(request)) ++zxid_;
    auto outcome = engine_.execute(client, zxid_, ++time_, request);
    require(outcome.body.size() <= kRules.answer, "no answer is too long");
    require(outcome.undo.empty() || outcome.changed(), "what can be taken back has changed something");
    batch_.push_back({client, std::move(request), std::move(outcome)});
    if ((entry.control & 4) == 0) end_batch();
  }

  void end() {
    end_batch();
    require_none(testing::faults(engine_));
    for (const auto& [session, nodes] : engine_.tree().ephemerals()) {
      require(engine_.sessions().find(session) != nullptr, "every ephemeral has a session");
    }
    const auto state = describe(engine_);
    Engine replayed;
    for (const auto& record : log_) require(replayed.replay(record, Moment(0)), "the log is readable");
    require(describe(replayed) == state, "the log gives the same state");
    Engine restored;
    engine_.begin_snapshot();
    while (const auto record = engine_.next_snapshot_record()) {
      require(restored.restore(*record, Moment(0)), "the snapshot is readable");
    }
    require(describe(restored) == state, "the snapshot gives the same state");
  }

 private:
  struct Step {
    Client client;
    wire::Request request;
    Outcome outcome;
  };

  void connect(std::size_t number) {
    engine_.connect(number, {{"ip", "127.0.0.1"}, {"digest", number == 1 ? "a:b" : "c:d"}});
  }

  static void greet(std::string_view bytes) {
    wire::Reader reader(bytes);
    wire::ConnectRequest hello;
    if (!decode(reader, hello)) return;
    wire::Writer writer;
    encode(writer, hello);
    require(bytes.starts_with(writer.bytes()) || hello.read_only, "a hello is written as it was read");
  }

  void end_batch() {
    if (taken_back_) {
      for (auto step = batch_.rbegin(); step != batch_.rend(); ++step) engine_.take_back(step->outcome);
      require(describe(engine_) == before_, "what was taken back was never there");
    } else {
      for (auto& step : batch_) finish(step.client, step.request, step.outcome);
    }
    batch_.clear();
    taken_back_ = false;
  }

  void finish(const Client& client, const wire::Request& request, Outcome& outcome) {
    if (outcome.changed()) log_.push_back(encode(outcome.transaction));
    engine_.settle(client, request, outcome, [](engine::ConnectionId connection, const wire::Event& event) {
      require(connection >= 1 && connection <= kConnections, "only who is there is told");
      (void)wire::event_frame(event);
    });
  }

  Engine engine_;
  wire::Zxid zxid_ = 0;
  std::int64_t time_ = 0;
  std::vector<Step> batch_;
  bool taken_back_ = false;
  std::string before_;
  std::vector<std::string> log_;
};

}  // namespace
}  // namespace holdfast::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  holdfast::fuzz::Script script(data, size);
  holdfast::fuzz::Server server;
  while (const auto entry = script.next()) server.take(*entry);
  server.end();
  return 0;
}
