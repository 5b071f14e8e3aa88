// player.h -- plays a script on one server and writes down what came back.
//
// After every step each connection is asked for a sync, so that whatever the step caused has arrived before the next
// one begins. A slot whose connection is gone resumes its session, or begins a new one, before it goes on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "raw_client.h"
#include "script.h"
#include "transcript.h"

namespace holdfast::testing {

class Player {
 public:
  // Plays below /b2b-<play>: the same number on all servers that are compared, and a new one for each play.
  Player(std::uint16_t port, std::size_t play);

  // Closes all sessions at the end. The transcript is settled. Throws std::runtime_error when a server falls silent.
  Transcript play(const std::vector<Step>& script);

 private:
  struct Slot {
    std::unique_ptr<RawClient> client{};  // none: the connection is gone
    std::int64_t session = 0;             // 0: none, or closed
    Text password{};
    std::int32_t next_xid = 1;
  };

  void perform(const Step& step);
  void perform_handshake(const Step& step);
  void perform_calls(const Step& step);
  // On a connection of its own that the server is to refuse.
  void knock(std::size_t slot, const std::string& frame);
  void connect(std::size_t slot, Identity identity, std::int32_t timeout, std::optional<bool> read_only);
  void ensure_connected(std::size_t slot);
  void end_session(std::size_t slot);
  static void send_barrier(Slot& slot);
  void barrier(std::size_t acting);

  // Until a frame with this xid came, or the connection was closed; true if it came.
  bool read_until(std::size_t slot, std::int32_t xid, std::int32_t op);
  void write_down(std::size_t slot, std::string line);
  void see_zxid(std::int64_t zxid);
  void sort_events();  // of this step
  std::string renamed(std::string text) const;

  std::uint16_t port_;
  std::string root_;
  std::array<Slot, kSlots> slots_{};
  std::int64_t newest_zxid_ = 0;
  StepRecord record_{};
  bool session_ended_ = false;  // in this step
};

}  // namespace holdfast::testing
