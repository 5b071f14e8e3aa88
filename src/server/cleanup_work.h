// cleanup_work.h -- the removal of what no client asks to have removed, as Work.
#pragma once

#include <string>
#include <utility>

#include "server/event_delivery.h"
#include "server/work.h"
#include "wire/request.h"

namespace holdfast::server {

class Cleanup;

// What the end of a session has not removed yet: a piece was refused by the disk, or a crash came in between.
class EphemeralsEnd final : public Work {
 public:
  EphemeralsEnd(Cleanup& cleanup, EventDelivery& events, wire::SessionId session)
      : cleanup_(cleanup), events_(events), session_(session) {}

  engine::Moment weigh(const engine::Engine& engine) override;
  bool writes() const override { return true; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  bool unfinished() const override { return more_; }
  void fail(bool unknown) override;

 private:
  Cleanup& cleanup_;
  EventDelivery& events_;
  wire::SessionId session_;
  bool more_ = false;
};

// A container that is empty, or a node whose time is over.
class ContainerEnd final : public Work {
 public:
  ContainerEnd(EventDelivery& events, std::string path)
      : events_(events), request_(wire::RemoveContainer{std::move(path)}) {}

  bool writes() const override { return true; }
  engine::Outcome execute(engine::Engine& engine, const Turn& turn) override;
  void settle(engine::Engine& engine, engine::Outcome& outcome) override;
  // It is looked for again.
  void fail(bool) override {}

 private:
  EventDelivery& events_;
  wire::Request request_;
};

}  // namespace holdfast::server
