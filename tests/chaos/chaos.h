// chaos.h -- carries a FaultPlan out.
//
// One thread, the one that started servers and members.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "fault_plan.h"
#include "history.h"
#include "holdfast/clock.h"
#include "member.h"
#include "service.h"

namespace holdfast::testing {

class Chaos {
 public:
  using Crew = std::vector<std::unique_ptr<Member>>;

  Chaos(FaultPlan plan, Crew& crew, Service& service, History& history)
      : plan_(std::move(plan)), crew_(crew), service_(service), history_(history) {}

  void run_until(Clock::time_point end);
  // Ends every fault under way.
  void heal();

 private:
  Member* choose(const Fault& fault);
  // False if it cannot be done now.
  bool strike(const Fault& fault);
  void strike_server(const Fault& fault);
  void strike_member(const Fault& fault, Member& victim);
  void do_what_is_due();

  FaultPlan plan_;
  Crew& crew_;
  Service& service_;
  History& history_;
  std::multimap<Clock::time_point, std::function<void()>> ends_;  // of faults under way
};

}  // namespace holdfast::testing
