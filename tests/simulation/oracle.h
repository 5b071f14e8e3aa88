// oracle.h -- what must be true of all holds at every moment, whatever happens; and what was seen, as a trace.
//
//   exclusion   no two holds of one name are valid at one moment, unless both are shared
//   loss        before a rival is granted, the holder before it was told, unless its process stands still
//   order       tokens grow with every ticket that is granted: tickets are granted in the order they were made in
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lock/hold.h"
#include "timeline.h"

namespace holdfast::simulation {

class Oracle {
 public:
  explicit Oracle(const Timeline& timeline) : timeline_(timeline) {}

  struct Holder {
    std::string name;
    std::string who;     // "c1.2/3": client, its life, thread
    std::string client;  // "c1.2"
    bool shared = false;
    std::shared_ptr<lock::Hold> hold;
    const spi::Executor* clock = nullptr;
    const class VirtualExecutor* process = nullptr;
  };

  // A thread has been granted the name.
  void granted(const Holder& holder);
  // It has given it back, or given up on it, or its client is gone.
  void over(const lock::Hold& hold);
  // Of all holds, by the clocks of their clients. After everything that happens.
  void look();

  void note(const std::string& line);
  void object(const std::string& why);

  const std::vector<std::string>& trace() const { return trace_; }
  const std::vector<std::string>& objections() const { return objections_; }

 private:
  struct Granted {
    Token newest_exclusive = 0;
    Token newest = 0;
    std::string by;  // the client that has the newest
  };

  const Timeline& timeline_;
  std::map<std::string, std::vector<Holder>> holders_;
  std::map<std::string, Granted> granted_;
  std::vector<std::string> trace_;
  std::vector<std::string> objections_;
};

}  // namespace holdfast::simulation
