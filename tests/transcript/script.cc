#include "script.h"

#include <chrono>
#include <sstream>
#include <stdexcept>

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Long enough for a JVM on a starved machine; nothing waits for it when all is well.
constexpr std::chrono::milliseconds kReplyTimeout = 30s;

// One pipe for both, so that the order of what is said stays.
void merge_stderr(ProcessOptions& program) {
  program.argv.insert(program.argv.begin(), {"sh", "-c", "exec \"$0\" \"$@\" 2>&1"});
}

// Reads on until every expectation was met; the first that was not, if the program says no more.
std::string wait_for(Process& process, std::vector<std::string> expected, std::string& transcript) {
  while (!expected.empty()) {
    const auto line = process.read_line(kReplyTimeout);
    if (!line) return expected.front();
    transcript += *line + '\n';
    std::erase_if(expected, [&](const std::string& part) { return line->find(part) != std::string::npos; });
  }
  return {};
}

}  // namespace

std::vector<Step> parse_script(std::string_view text) {
  std::vector<Step> steps(1);
  bool waits = false;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("> ")) {
      steps.push_back({.send = line.substr(2)});
    } else if (line.starts_with("< ") && line.size() > 2) {
      steps.back().expected.push_back(line.substr(2));
      waits = true;
    } else {
      throw std::invalid_argument("neither sent nor expected: " + line);
    }
  }
  if (!waits) throw std::invalid_argument("a script that expects nothing");
  return steps;
}

Conversation converse(ProcessOptions program, const std::vector<Step>& script) {
  merge_stderr(program);
  Process process(program);
  Conversation result;
  for (const Step& step : script) {
    if (!step.send.empty() && !process.write_line(step.send)) {
      result.missing = "a reader of: " + step.send;
      break;
    }
    result.missing = wait_for(process, step.expected, result.transcript);
    if (!result.missing.empty()) break;
  }
  process.close_stdin();
  while (const auto line = process.read_line(kReplyTimeout)) result.transcript += *line + '\n';
  result.status = process.wait(kReplyTimeout).value_or(-1);
  return result;
}

}  // namespace holdfast::testing
