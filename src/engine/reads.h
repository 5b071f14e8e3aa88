// reads.h -- the answers to requests that change nothing.
#pragma once

#include "engine/engine.h"

namespace holdfast::engine {

// No write may come between the reads of one multiRead, so it is one step, and all other requests wait for it. This is eight times what
// a client of ZooKeeper accepts by default (jute.maxbuffer): 700,000 short names, in a few hundredths of a second.
inline constexpr std::size_t kLongestMultiRead = std::size_t{8} << 20;

class Reads {
 public:
  // No answer becomes much longer than `limit`: the caller refuses longer ones.
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
  // The node, if it exists and may be read.
  wire::Code readable(std::string_view path, std::int32_t permissions, const Node*& node) const;

  // The length of all names in its lists that the client may read.
  std::size_t length_of_lists(const wire::MultiRead& request) const;

  const Tree& tree_;
  const Permissions& permissions_;
  const wire::SessionId session_;
  const std::size_t limit_;
};

}  // namespace holdfast::engine
