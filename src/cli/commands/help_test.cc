#include "cli/commands/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>

#include "cli/commands/commands.h"
#include "cli/view/columns.h"

namespace holdfast::cli {
namespace {

// Every command, those of commands included, with its whole name; not those that are for programs.
void walk_commands(const CLI::App& app, const std::string& name,
                   const std::function<void(const std::string&, const CLI::App&)>& visit) {
  visit(name, app);
  for (const auto* below : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    walk_commands(*below, name + " " + below->get_name(), visit);
  }
}

class Help : public ::testing::Test {
 protected:
  Help() { add_commands(app_, exit_code_, {}); }
  static std::string help_of(const CLI::App& app, const std::string& name, CLI::AppFormatMode mode) {
    return HelpFormatter().make_help(&app, name, mode);
  }

  CLI::App app_{"A lock.", "holdfast"};
  int exit_code_ = 0;
};

TEST_F(Help, of_every_command_fits_on_a_screen) {
  walk_commands(app_, "holdfast", [](const std::string& name, const CLI::App& command) {
    std::istringstream text(help_of(command, name, CLI::AppFormatMode::Normal));
    std::size_t lines = 0;
    for (std::string line; std::getline(text, line); ++lines) EXPECT_LT(width_of(line), 80U) << name << ": " << line;
    EXPECT_LE(lines, 24U) << text.str();
  });
}

TEST_F(Help, has_examples_before_options) {
  for (const auto* name : {"run", "ls", "show", "watch", "break", "shell", "server", "doctor", "demo"}) {
    const auto text = help_of(*app_.get_subcommand(name), std::string("holdfast ") + name, CLI::AppFormatMode::Normal);
    const auto examples = text.find("\nExamples:\n  holdfast " + std::string(name));
    ASSERT_NE(examples, std::string::npos) << text;
    EXPECT_LT(examples, text.find("\n  -")) << text;
  }
}

TEST_F(Help, names_every_option_and_describes_all_of_them_if_asked_to) {
  walk_commands(app_, "holdfast", [](const std::string& name, const CLI::App& command) {
    const auto brief = help_of(command, name, CLI::AppFormatMode::Normal);
    const auto all = help_of(command, name, CLI::AppFormatMode::All);
    bool is_named_only = false;
    for (const auto* option : command.get_options()) {
      if (option->get_group().empty() || !option->nonpositional() || option == command.get_help_ptr() ||
          option == command.get_help_all_ptr() || option->get_lnames().front() == "version") {
        continue;
      }
      const auto option_name = "--" + option->get_lnames().front();
      EXPECT_NE(brief.find(option_name), std::string::npos) << brief;
      EXPECT_NE(all.find(option_name), std::string::npos) << all;
      const auto first_words = option->get_description().substr(0, 12);
      EXPECT_NE(all.find(first_words), std::string::npos) << all;
      is_named_only = is_named_only || brief.find(first_words) == std::string::npos;
    }
    const bool says_so = brief.find("\nAll of it: " + name + " --help-all\n") != std::string::npos;
    EXPECT_TRUE(says_so || !is_named_only) << brief;
  });
}

TEST_F(Help, has_the_notes_of_a_command_if_there_is_room_or_if_asked_to) {
  CLI::App app("Does it.", "it");
  app.footer("A note that is\nwrapped anew.\n\nExamples:\n  it        does it");
  const auto text = help_of(app, "it", CLI::AppFormatMode::Normal);
  EXPECT_EQ(text, "Does it.\nUsage: it [OPTIONS]\n\nExamples:\n  it        does it\n\nA note that is wrapped anew.\n");
  for (int i = 0; i < 18; ++i) app.add_flag("--option" + std::to_string(i))->description("Does it, too");
  const auto crowded = help_of(app, "it", CLI::AppFormatMode::Normal);
  EXPECT_EQ(crowded.find("A note"), std::string::npos) << crowded;
  EXPECT_NE(crowded.find("All of it: it --help-all"), std::string::npos) << crowded;
  EXPECT_NE(help_of(app, "it", CLI::AppFormatMode::All).find("A note"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::cli
