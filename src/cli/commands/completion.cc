#include "cli/commands/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "cli/completion/command_tree.h"
#include "cli/completion/scripts.h"
#include "cli/config/service.h"
#include "cli/view/output.h"
#include "holdfast/client.h"
#include "holdfast/error.h"
#include "holdfast/local.h"

namespace holdfast::cli {
namespace completion {
namespace {

// A person has pressed Tab and waits.
constexpr std::chrono::milliseconds kConnectTimeout{1'000};
constexpr std::size_t kMostNames = 1'000;

void print_script(const CLI::App& app, const std::string& shell) {
  const auto tree = read_tree(app);
  if (shell == "bash") {
    write_out(bash_script(tree));
  } else if (shell == "zsh") {
    write_out(zsh_script(tree));
  } else if (shell == "fish") {
    write_out(fish_script(tree));
  } else if (shell == "words") {
    write_out(word_list(tree));
  } else {
    throw Error(Errc::invalid_argument, "there are completions for bash, zsh and fish");
  }
}

// What the line so far says about the service. Quotes are left alone: this is a guess, and a wrong one completes nothing.
ServiceArguments service_in(const std::string& line) {
  ServiceArguments arguments;
  std::istringstream words(line);
  for (std::string word; words >> word && word != "--";) {
    const auto take = [&](const char* option, std::string& value) {
      const std::string name(option);
      if (word.starts_with(name + "=")) value = word.substr(name.size() + 1);
      if (word == name) words >> value;
    };
    take("--url", arguments.url);
    take("--config", arguments.config);
    take("--namespace", arguments.name_space);
    take("--auth", arguments.auth);
  }
  return arguments;
}

// What a shell takes as it is: other users choose the names, and the person who pressed Tab runs the line.
bool is_plain(const std::string& name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,";
  return name.find_first_not_of(kAllowed) == std::string::npos && !name.starts_with('-');
}

// Says nothing when anything is wrong: the prompt is no place for it. Starts no engine either.
void print_names(const std::string& line, const std::string& prefix) {
  try {
    auto settings = resolve_service(service_in(line), Notes::left_out);
    if (settings.url.starts_with("local:") && !find_local_engine()) return;
    settings.connect_timeout = std::min(settings.connect_timeout, kConnectTimeout);
    auto client = connect(settings, {.purpose = "completion"});
    std::size_t left = kMostNames;
    for (const auto& lock : client.inspect_all()) {
      if (!lock.name.starts_with(prefix) || !is_plain(lock.name)) continue;
      if (left-- == 0) break;
      fmt::print("{}\n", lock.name);
    }
  } catch (const std::exception&) {
    return;
  }
}

struct Arguments {
  std::string shell;
  std::string line;
  std::string prefix;
};

}  // namespace
}  // namespace completion

void add_completion(CLI::App& app) {
  const auto arguments = std::make_shared<completion::Arguments>();
  auto* command = app.add_subcommand("completion", "Print what a shell needs to complete this command");
  command->add_option("SHELL", arguments->shell, "bash, zsh or fish")->required();
  command->footer(
      "Installed packages have it already. By hand:\n"
      "  holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast\n"
      "  holdfast completion zsh > \"${fpath[1]}/_holdfast\"\n"
      "  holdfast completion fish > ~/.config/fish/completions/holdfast.fish");
  command->callback([=, &app] { completion::print_script(app, arguments->shell); });

  auto* names = app.add_subcommand("complete-names", "Names of locks, for completion")->group("");
  names->add_option("--line", arguments->line, "The command line so far");
  names->add_option("PREFIX", arguments->prefix);
  names->callback([=] { completion::print_names(arguments->line, arguments->prefix); });
}

}  // namespace holdfast::cli
