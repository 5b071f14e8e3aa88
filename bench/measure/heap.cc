#include "measure/heap.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "support/process.h"

namespace holdfast::bench {
namespace {

// A collection of a million nodes takes a second.
constexpr std::chrono::seconds kPatience{60};

std::string jcmd(pid_t process, const std::string& command) {
  testing::Process child({"jcmd", std::to_string(process), command});
  std::string answer;
  while (const auto line = child.read_line(kPatience)) answer += *line + '\n';
  if (child.wait(kPatience) != 0) throw std::runtime_error("jcmd " + command + ": " + answer);
  return answer;
}

}  // namespace

double java_heap_of(pid_t process) {
  (void)jcmd(process, "GC.run");
  const std::string info = jcmd(process, "GC.heap_info");
  const auto at = info.find("used ");
  if (at == std::string::npos) throw std::runtime_error("jcmd does not tell what is used: " + info);
  return std::stod(info.substr(at + 5)) * 1'024;
}

}  // namespace holdfast::bench
