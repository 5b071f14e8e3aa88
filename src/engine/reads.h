// reads.h -- what requests that only look are answered with.
#pragma once

#include "engine/engine.h"

namespace holdfast::engine {

// No write comes between the reads of one multiRead, so it is one step, for which all others wait: eight times what a client of
// ZooKeeper takes unless it is told otherwise (jute.maxbuffer), 700,000 short names, in a few hundredths of a second.
inline constexpr std::size_t kLongestMultiRead = std::size_t{8} << 20;

class Reads {
 public:
  // No answer becomes much longer than `limit`: the caller refuses those that are longer.
  Reads(const Tree& tree, const Permissions& permissions, wire::SessionId session, std::size_t limit)
      : tree_(tree), permissions_(permissions), session_(session), limit_(limit) {}

  wire::Code operator()(const wire::Exists& request, wire::Writer& answer) const;
  wire::Code operator()(const wire::GetData& request, wire::Writer& answer) const;
  wire::Code operator()(const wire::GetAcl& request, wire::Writer& answer) const;
  wire::Code operator()(const wire::GetChildren& request, wire::Writer& answer) const;
  wire::Code operator()(const wire::Sync& request, wire::Writer& answer) const;
  wire::Code operator()(const wire::MultiRead& request, wire::Writer& answer) const;
  wire::Code operator()(const wire::GetEphemerals& request, wire::Writer& answer) const;
  wire::Code operator()(const wire::GetAllChildrenNumber& request, wire::Writer& answer) const;
  wire::Code operator()(const wire::WhoAmI& request, wire::Writer& answer) const;

 private:
  // The node, if it is there and may be read.
  wire::Code readable(std::string_view path, std::int32_t permissions, const Node*& node) const;

  // Of its names, as far as they may be read.
  std::size_t length_of_lists(const wire::MultiRead& request) const;

  const Tree& tree_;
  const Permissions& permissions_;
  const wire::SessionId session_;
  const std::size_t limit_;
};

}  // namespace holdfast::engine
