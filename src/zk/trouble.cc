#include "zk/trouble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace holdfast::zk {
namespace {

// If there are more, the rest is only counted.
constexpr std::size_t kMostReasons = 5;

}  // namespace

std::string Trouble::of(const net::ServerAddress& server) const {
  if (const auto found = found_.find(server); found != found_.end()) return found->second.clause;
  const auto known = why_.find(server);
  if (known == why_.end()) return "no answer so far";
  std::string why = known->second;
  if (why == kRefused) return "connection refused; is the server running?";
  if (why == kHungUp || why == kReset || why == kBroken) {
    return "the server closed the connection without a word; it may not serve yet, have too many connections from this "
           "address "
           "(maxClientCnxns), or want TLS";
  }
  if (why == net::FrameSocket::kHungUpInHandshake) {
    return "the server closed the connection instead of setting up TLS; it may speak plain text at this port (then "
           "write "
           "zk:// instead of zks://), or not serve yet";
  }
  if (!why.empty() && !why.starts_with("TLS"))
    why[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(why[0])));
  return why;
}

bool Trouble::all_refuse(const net::ServerAddresses& servers, std::size_t times) const {
  return std::all_of(servers.begin(), servers.end(), [&](const net::ServerAddress& server) {
    const auto known = refusals_.find(server);
    return known != refusals_.end() && known->second >= times;
  });
}

bool Trouble::all_are_strangers(const net::ServerAddresses& servers) const {
  return std::all_of(servers.begin(), servers.end(), [&](const net::ServerAddress& server) {
    const auto found = found_.find(server);
    return found != found_.end() && found->second.another_kind;
  });
}

std::string Trouble::text(const net::ServerAddresses& servers) const {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // and for which servers
  for (const auto& server : servers) {
    const auto why = of(server);
    auto same = std::find_if(reasons.begin(), reasons.end(), [&](const auto& each) { return each.first == why; });
    if (same == reasons.end()) same = reasons.insert(reasons.end(), {why, {}});
    same->second.push_back(server.text());
  }
  if (reasons.size() == 1) return reasons.front().first;
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", fmt::join(reasons[i].second, ", "), reasons[i].first);
  }
  if (reasons.size() > kMostReasons) text += fmt::format("; and {} more", reasons.size() - kMostReasons);
  return text;
}

}  // namespace holdfast::zk
