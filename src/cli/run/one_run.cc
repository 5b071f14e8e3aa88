#include "cli/run/one_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "cli/run/run_environment.h"

namespace holdfast::cli {

tl::expected<Clock::duration, std::string> kill_after_of(const Run& run) {
  // Only a command that is told before the lease ends needs the time in it: the guardian kills in time, whatever was asked for.
  constexpr auto kUsual = std::chrono::seconds(5);
  if (run.options.on_lost != OnLost::term) return run.options.kill_after.value_or(kUsual);
  return choose_kill_after(run.options.kill_after, run.validity());
}

std::vector<std::pair<std::string, std::string>> environment_of_command(const Run& run, std::uint64_t token) {
  const char* outer = std::getenv(kRunIds);
  std::vector<std::pair<std::string, std::string>> environment{
      {"HOLDFAST_NAME", fmt::format("{}", fmt::join(run.options.names, " "))},
      {"HOLDFAST_TOKEN", std::to_string(token)},
      {kRunUrl, run.service.url},
      {kRunNamespace, run.service.name_space},
      {kRunAuth, run.service.auth_file},
      {kRunIds, outer == nullptr ? run.id : fmt::format("{}:{}", outer, run.id)}};
  for (const auto key : kRunSecurity) environment.emplace_back(run_variable(key), security_setting(run.service, key));
  return environment;
}

}  // namespace holdfast::cli
