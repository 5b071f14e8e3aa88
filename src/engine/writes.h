// writes.h -- executes requests that change something. The checks have ZooKeeper's order (PrepRequestProcessor), because clients
// see it by the error code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace holdfast::engine {

// One request, or the steps of one multi.
class Writes {
 public:
  Writes(Tree& tree, const Rules& rules, const Permissions& permissions, wire::SessionId session, Outcome& outcome)
      : tree_(tree), rules_(rules), permissions_(permissions), session_(session), outcome_(outcome) {}

  // Each appends to the outcome's changes, and writes its answer to `answer`. On failure it has changed nothing.
  wire::Code operator()(const wire::Create& request, wire::Writer& answer);
  wire::Code operator()(const wire::Remove& request, wire::Writer& answer);
  wire::Code operator()(const wire::RemoveContainer& request, wire::Writer& answer);
  wire::Code operator()(const wire::SetData& request, wire::Writer& answer);
  wire::Code operator()(const wire::SetAcl& request, wire::Writer& answer);
  wire::Code operator()(const wire::Check& request, wire::Writer& answer);
  wire::Code operator()(const wire::Multi& request, wire::Writer& answer);

 private:
  struct Birth;

  wire::Code kind_of(const wire::Create& request, Birth& birth) const;
  wire::Code create(const wire::Create& request, const Birth& birth, wire::Writer& answer, bool with_stat);
  wire::Code step(const wire::Create& request, wire::Writer& answer);
  wire::Code step(const wire::Remove& request, wire::Writer& answer);
  wire::Code step(const wire::SetData& request, wire::Writer& answer);
  wire::Code step(const wire::Check& request, wire::Writer& answer);
  void remove(const Node& node);
  template <class T>
  void apply(T change);
  void take_back_to(std::size_t changes);
  bool may(const Node& node, std::int32_t permission) const;
  // Whether this request may change that many bytes more.
  bool fits(std::size_t bytes);

  Tree& tree_;
  const Rules& rules_;
  const Permissions& permissions_;
  const wire::SessionId session_;
  Outcome& outcome_;
  std::size_t bytes_ = 0;
};

}  // namespace holdfast::engine
