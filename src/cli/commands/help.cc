#include "cli/commands/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/view/columns.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kColumns = 79;  // one less than 80: a full row makes some terminals wrap
constexpr std::size_t kRows = 24;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;
// A longer name has its description below it.
constexpr std::size_t kWidestName = 28;
constexpr std::string_view kOwnGroup = "Options";  // CLI11's name for what has no other

using Lines = std::vector<std::string>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Words in lines that are no wider than that.
Lines wrapped(std::string_view text, std::size_t width) {
  Lines lines;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!lines.empty() && width_of(lines.back()) + 1 + width_of(word) <= width) {
      lines.back().append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

void append(Lines& lines, const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); }

struct Footer {
  Lines examples;
  Lines notes;  // wrapped, a blank line between two
};

Footer footer_of(const CLI::App& app) {
  Footer footer;
  std::string paragraph;
  bool in_examples = false;
  const auto end_paragraph = [&] {
    if (!footer.notes.empty() && !paragraph.empty()) footer.notes.emplace_back();
    append(footer.notes, wrapped(std::exchange(paragraph, {}), kColumns));
  };
  for (const auto& line : split(app.get_footer())) {
    if (line == "Examples:") {
      end_paragraph();
      in_examples = true;
    } else if (line.empty()) {
      end_paragraph();
      in_examples = false;
    } else if (in_examples) {
      footer.examples.push_back(line);
    } else {
      paragraph += line + " ";
    }
  }
  end_paragraph();
  return footer;
}

// "-w, --wait TIME"
std::string name_of(const CLI::Option& option) {
  if (!option.nonpositional()) return option.get_name(true);
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  const bool has_value = option.get_type_size() != 0 && !option.get_type_name().empty();
  return fmt::format("{}{}{}", fmt::join(names, ", "), has_value ? " " : "", has_value ? option.get_type_name() : "");
}

struct Entry {
  std::string name;
  std::string description;
};

Lines listed(const std::vector<Entry>& entries) {
  std::size_t widest = 0;
  for (const auto& entry : entries) {
    if (const auto width = width_of(entry.name); width <= kWidestName) widest = std::max(widest, width);
  }
  const std::size_t start = kIndent + widest + kGap;
  Lines lines;
  for (const auto& entry : entries) {
    auto line = std::string(kIndent, ' ') + entry.name;
    for (const auto& part : wrapped(entry.description, kColumns - start)) {
      if (width_of(line) + kGap > start) lines.push_back(std::exchange(line, {}));
      line.append(start - width_of(line), ' ').append(part);
      lines.push_back(std::exchange(line, {}));
    }
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, std::string_view group) {
  return app.get_options([&](const CLI::Option* option) {
    return option->nonpositional() && option->get_group() == group && option != app.get_help_ptr() &&
           option != app.get_help_all_ptr();
  });
}

Entry entry_of(const CLI::Option* option) { return {name_of(*option), option->get_description()}; }

std::string usage(const CLI::App& app, const std::string& name, bool has_commands) {
  std::string text = "Usage: " + name;
  if (has_commands) return text + " COMMAND [OPTIONS]";
  text += " [OPTIONS]";
  for (const auto* option : app.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const auto named = option->get_name(true) + (option->get_items_expected_max() > 1 ? "..." : "");
    text += option->get_required() ? " " + named : " [" + named + "]";
  }
  return text;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const bool all = mode != CLI::AppFormatMode::Normal;
  const auto commands = app->get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
  const auto footer = footer_of(*app);
  Lines lines = wrapped(app->get_description(), kColumns);
  lines.push_back(usage(*app, name, !commands.empty()));
  if (!footer.examples.empty()) {
    append(lines, {"", "Examples:"});
    append(lines, footer.examples);
  }

  std::vector<Entry> entries;
  for (const auto* command : commands) entries.push_back({command->get_name(), command->get_description()});
  if (!commands.empty()) append(lines, {"", "Commands:"});
  for (const auto* option : app->get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    if (!option->get_description().empty()) entries.push_back({option->get_name(true), option->get_description()});
  }
  if (commands.empty()) {
    for (const auto* option : options_of(*app, kOwnGroup)) entries.push_back(entry_of(option));
    if (!entries.empty()) lines.emplace_back();
  }
  append(lines, listed(entries));

  bool complete = true;
  bool apart = false;
  for (const auto& group : app->get_groups()) {
    const auto options = options_of(*app, group);
    if (group == kOwnGroup || group.empty() || options.empty()) continue;
    if (all) {
      append(lines, {"", group + ":"});
      std::vector<Entry> described;
      std::transform(options.begin(), options.end(), std::back_inserter(described), entry_of);
      append(lines, listed(described));
      continue;
    }
    std::vector<std::string> names;
    for (const auto* option : options) names.push_back("--" + option->get_lnames().front());
    if (!std::exchange(apart, true)) lines.emplace_back();
    append(lines, wrapped(fmt::format("{}: {}", group, fmt::join(names, ", ")), kColumns));
    complete = false;
  }

  const bool has_room = lines.size() + 1 + footer.notes.size() + (complete ? 0 : 1) <= kRows;
  if (!footer.notes.empty() && (all || has_room)) {
    lines.emplace_back();
    append(lines, footer.notes);
  } else {
    complete = complete && footer.notes.empty();
  }
  if (!complete && !all) lines.push_back(fmt::format("All of it: {} --help-all", name));
  auto text = fmt::format("{}\n", fmt::join(lines, "\n"));
  if (mode == CLI::AppFormatMode::All) {
    for (const auto* command : commands) text += "\n" + make_help(command, name + " " + command->get_name(), mode);
  }
  return text;
}

}  // namespace holdfast::cli
