// pipeline.h -- everything that is to be done, one after the other, with one sync for many.
//
//   push() --> a line each --> batch: execute each --> log them in one group --> settle each, in order
//                    ^                                      |
//                    |                                      +--> refused: take all back; writes fail, reads are done again
//                    +---- gathers while the log is being written
//
// So answers leave in the order of a client's requests, and none before what it tells of is safe. Whose turn it is: fair_queue.h. A
// batch ends when it has taken long enough or when its answers are long enough, and then the loop has its turn: it reads what has
// come meanwhile, so that a client that asks for little is served next. What comes before the first change of a batch need not wait for the
// log and is settled at once.
//
// The lines cannot grow without bound: a connection is not read from while too much of it waits (Peer::hold_back), and the number of
// connections is limited.
//
// Everything happens in the loop, but for the log: the loop's thread steps out for it.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "server/fair_queue.h"
#include "server/loop.h"
#include "server/statistics.h"
#include "server/work.h"
#include "store/store.h"

namespace holdfast::server {

class Pipeline {
 public:
  struct Events {
    // Nothing is under way, and all that was executed is safe: a moment to walk over the nodes.
    std::function<void()> at_rest;
    // It has become unknown what is in the log (true), or is known again (false).
    std::function<void(bool stuck)> stuck;
  };

  // Without a store nothing is kept. `last` is the last zxid ever used.
  Pipeline(Loop& loop, engine::Engine& engine, store::Store* store, wire::Zxid last, Events events);
  ~Pipeline();

  void push(const LineId& client, std::unique_ptr<Work> work);
  // What that client asks for waits until it has read its answers...
  void wait_for_reader(const LineId& client) { queue_.hold(client, FairQueue::Hold::unsent); }
  void has_read(const LineId& client) { go_on(client, FairQueue::Hold::unsent); }
  // ...or until there is memory for it.
  void wait_for_room(const LineId& client) { queue_.hold(client, FairQueue::Hold::room); }
  void has_room(const LineId& client) { go_on(client, FairQueue::Hold::room); }
  // It is us that client waits for.
  bool keeps_waiting(const LineId& client) const { return queue_.waits_for_its_turn(client); }

  // Nothing waits, nothing is under way.
  bool idle() const { return queue_.empty() && !under_way_; }
  bool at_rest() const { return !under_way_; }
  std::size_t waiting() const { return queue_.size() + batch_.size(); }
  // Of the last write that is safe.
  wire::Zxid zxid() const { return settled_; }
  // How many writes changed something.
  std::size_t changes() const { return changes_; }
  // It is unknown what is in the log: nothing is answered.
  bool stuck() const { return stuck_; }
  PipelineStatistics statistics() const {
    return {.outstanding = static_cast<std::int64_t>(waiting()), .zxid = settled_, .sync_time = sync_time_};
  }

  // No callback comes any more. What is being logged is waited for, but no client learns of it.
  void halt();

 private:
  struct Step {
    LineId client{};
    std::unique_ptr<Work> work;
    engine::Outcome outcome{};
    bool taken_back = false;
    wire::Zxid shown = 0;  // the last that clients may be told of once it is settled
    engine::Moment expected{0};
  };

  void go_on(const LineId& client, FairQueue::Hold why);
  void schedule();
  void run();
  // False: it is larger than it seemed, and waits among its likes.
  bool weigh_next(engine::Moment now);
  void charge(const LineId& client, engine::Moment expected, engine::Moment cost);
  Step execute_next(engine::Moment now, std::int64_t time);
  void finish(Step& step);
  using Logged = tl::expected<void, store::AppendFailure>;
  // What is to be logged, with the bytes.
  struct Record {
    store::Index index;
    std::string bytes;
  };
  using Group = std::vector<Record>;

  // What it leaves in the log, into the group; how many bytes that are.
  std::size_t note(Step& step, Group& group);
  static Logged append(store::Store& store, const Group& group);
  // An empty group only repairs what a failed one may have left. The last thing that a handler does.
  void log(Group group, std::function<void(const Logged&)> done);
  void logged(const Logged& result);
  void settle(std::size_t first);
  void take_back(const store::AppendFailure& failure);
  void get_stuck();
  void repair_later();
  void rest();

  Loop& loop_;
  engine::Engine& engine_;
  Events events_;
  store::Store* store_;  // none: nothing is kept
  FairQueue queue_;
  std::deque<Step> batch_;  // in small pieces: there may be no memory for a long one
  bool scheduled_ = false;
  bool under_way_ = false;
  bool stuck_ = false;
  bool long_ = false;     // the last batch, or its settling, was
  bool refused_ = false;  // by the log, and not taken since
  wire::Zxid last_;       // ever given to a change
  wire::Zxid shown_;      // the last of those that clients may be told of
  wire::Zxid settled_;    // that clients were told of
  std::size_t changes_ = 0;
  engine::Moment commit_began_{0};
  Latency sync_time_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::server
