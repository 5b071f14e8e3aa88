#include "large_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace holdfast::testing::asking {

std::string name_of(int i) { return fmt::format("node-{:06}", i); }

void create_all(SessionClient& client, const std::string& directory, int count, std::int32_t flags) {
  for (int from = 0; from < count; from += 500) {
    std::vector<Ask> steps;
    for (int i = from; i < std::min(count, from + 500); ++i)
      steps.push_back(create(directory + '/' + name_of(i), "", flags));
    if (!client.call(multi(steps)).ok()) throw std::runtime_error("cannot create the nodes of " + directory);
  }
}

std::string texts(int count, const std::function<std::string(int)>& text) {
  JuteWriter out;
  out.i32(count);
  for (int i = 0; i < count; ++i) out.text(text(i));
  return out.bytes();
}

std::string long_acl(int entries, int salt) {
  JuteWriter out;
  out.i32(entries);
  for (int i = 0; i < entries; ++i) out.i32(31).text("digest").text(fmt::format("user{}-{}:x", salt, i));
  return out.bytes();
}

Ask by_path(Op op, const std::string& path) { return {op, JuteWriter().text(path).bytes()}; }

Ask multi_of(int steps, const std::function<Ask(int)>& step) {
  std::vector<Ask> all;
  for (int i = 0; i < steps; ++i) all.push_back(step(i));
  return multi(all);
}

Ask multi_read_of(int steps, const std::function<Ask(int)>& step) {
  return {Op::multi_read, multi_of(steps, step).payload};
}

Ask get_children(const std::string& path) { return {Op::get_children, JuteWriter().text(path).boolean(false).bytes()}; }

}  // namespace holdfast::testing::asking
