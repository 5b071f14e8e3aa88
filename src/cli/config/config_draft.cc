#include "cli/config/config_draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

// Those of a list may also stand in one text, with commas: srvr,ruok
std::vector<std::string> split(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const auto& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const auto end = std::min(text.find(',', begin), text.size());
      const auto part = trimmed(std::string_view(text).substr(begin, end - begin));
      if (!part.empty()) parts.emplace_back(part);
      begin = end + 1;
    }
  }
  return parts;
}

// Plain where that cannot be misread; otherwise in double quotes.
std::string yaml_text(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-";
  constexpr std::string_view kPlainFirst = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos && !text.ends_with(':') &&
      kPlainFirst.find(text[0]) != std::string_view::npos && text != "null") {
    return std::string(text);
  }
  std::string escaped = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      escaped += fmt::format("\\x{:02x}", c);
      continue;
    }
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped + '"';
}

}  // namespace

Parsed<void> ConfigDraft::set(std::string_view key, const std::vector<std::string>& texts, const FilePosition& place,
                              std::string_view name) {
  const auto* setting = find_setting(key);
  const auto assigned = setting->list ? setting->assign(settings_, split(texts)) : setting->assign(settings_, texts);
  if (!assigned) {
    const auto value =
        setting->secret ? std::string("not in order") : in_quotes(fmt::format("{}", fmt::join(texts, ", ")));
    return tl::unexpected(fmt::format("{}{} is {}: {}", place.prefix(), name, value, assigned.error()));
  }
  const auto obsolete = [&](const Remark& remark) { return remark.about == key; };
  std::erase_if(notes_, obsolete);
  std::erase_if(refusals_, obsolete);
  if (place.file.empty()) {
    set_origin(key, std::string(name));
  } else if (name == key || key.ends_with(fmt::format(".{}", name))) {
    set_origin(key, fmt::format("{}:{}", place.file, place.line));
  } else {
    set_origin(key, fmt::format("{}:{} {}", place.file, place.line, name));
  }
  return {};
}

void ConfigDraft::say(std::string line, std::string_view about) {
  notes_.push_back({std::string(about), std::move(line)});
}

void ConfigDraft::refuse(std::string sentence, std::string_view about) {
  refusals_.push_back({std::string(about), std::move(sentence)});
}

void ConfigDraft::set_origin(std::string_view key, std::string origin) {
  origins_.insert_or_assign(std::string(key), std::move(origin));
}

std::string ConfigDraft::origin(std::string_view key) const {
  const auto found = origins_.find(key);
  return found == origins_.end() ? "default" : found->second;
}

std::vector<std::string> ConfigDraft::lines() const {
  std::vector<std::string> lines;
  for (const auto& note : notes_) lines.push_back(note.text);
  return lines;
}

std::string ConfigDraft::refusal() const { return refusals_.empty() ? std::string() : refusals_.front().text; }

std::string print_config(const ConfigDraft& draft) {
  constexpr std::string_view kLimits = "limits.";
  std::string printed;
  bool in_limits = false;
  for (const auto& setting : all_settings()) {
    const bool limit = setting.key.starts_with(kLimits);
    if (limit && !std::exchange(in_limits, true)) printed += "limits:\n";
    auto texts = setting.show(draft.settings());
    std::transform(texts.begin(), texts.end(), texts.begin(), [](const auto& text) { return yaml_text(text); });

    auto line = fmt::format("{}: ", limit ? setting.key.substr(kLimits.size()) : setting.key);
    const bool empty_words = setting.key == "four_letter_words" && texts.empty();
    if (setting.list && (!texts.empty() || empty_words)) {
      line += fmt::format("[{}]", fmt::join(texts, ", "));
    } else if (texts.empty()) {
      line = "# " + line + "not set";
    } else if (setting.secret) {
      line = "# " + line + "set, not shown";
    } else {
      line += texts.front();
    }
    printed += fmt::format("{}{:<48}  # {}\n", limit ? "  " : "", line, draft.origin(setting.key));
  }
  return printed;
}

}  // namespace holdfast::cli
