#include "settings/zk_lock_block.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "base/text.h"
#include "settings/client_keys.h"
#include "settings/duration.h"
#include "settings/keyed_map.h"

namespace holdfast::settings {
namespace {

// sessionTimeout, session-timeout: session_timeout
std::string bound(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool capital = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (capital && !plain.empty() && plain.back() != '_') plain += '_';
    plain += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

class Block {
 public:
  explicit Block(ClientFile& file) : file_(file) {}

  Parsed<void> read(const YamlSetting& block) {
    std::vector<std::string_view> names{"address", "connection-timeout", "session-timeout", "retry-policy"};
    std::vector<std::string> blocks;
    for (const auto& policy : retry_policies()) blocks.push_back(plain_key(policy.java));
    names.insert(names.end(), blocks.begin(), blocks.end());
    if (block.kind != YamlSetting::Kind::map) {
      return block.wrong_value(
          fmt::format("{} is a map with address, connection-timeout, session-timeout", block.name));
    }
    const YamlSetting* chosen = nullptr;
    for (const auto& setting : block.settings) {
      const auto name = bound(setting.name);
      const auto values = std::find(blocks.begin(), blocks.end(), name);
      Parsed<void> done;
      if (values != blocks.end()) {
        done = read_values(setting, static_cast<std::size_t>(values - blocks.begin()));
      } else if (name == "address") {
        done = add(setting, "url", [](const std::string& text) {
          return text.starts_with("zk:") || text.starts_with("zks:") ? text : "zk://" + text;
        });
      } else if (name == "connection_timeout") {
        done = add_number(setting, "connect_timeout");
      } else if (name == "session_timeout") {
        done = add_number(setting, "session_timeout");
      } else if (name == "retry_policy") {
        chosen = &setting;
      } else {
        done = unknown(setting, names);
      }
      if (!done) return done;
    }
    return choose(block, chosen);
  }

 private:
  Parsed<void> add(const YamlSetting& setting, std::string_view key,
                   const std::function<std::string(const std::string&)>& meaning) {
    const auto text = one_text(setting);
    if (!text) return tl::unexpected(text.error());
    file_.entries.push_back({std::string(key), meaning(*text), setting.value_place});
    return {};
  }

  // Their times are plain numbers of milliseconds, and all their numbers as large as a number can be: cut to what we take, and said.
  Parsed<void> add_number(const YamlSetting& setting, std::string_view key) {
    return add(setting, key, [&](const std::string& text) { return cut(setting, *find_client_key(key), text); });
  }

  std::string cut(const YamlSetting& setting, const ClientKey& key, const std::string& text) {
    const bool is_time = key.form.kind == Form::Kind::time;
    const auto whole = [&](const std::string& number) { return is_time ? with_unit(number, "ms") : number; };
    if (text.find_first_not_of("0123456789") != std::string::npos) return text;
    const auto most = is_time ? static_cast<std::uint64_t>(key.form.times.most.count()) : key.form.counts.most;
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc() && number <= most) return whole(text);
    const auto shown = is_time ? show_duration(key.form.times.most) : std::to_string(most);
    file_.notes.push_back(fmt::format("{}{} is {}{}, more than {}; {} is used", setting.value_place.prefix(),
                                      setting.name, base::printable(text), is_time ? " ms" : "", shown, shown));
    return shown;
  }

  // The block of a policy, chosen or not: services have all of them, and choose one.
  Parsed<void> read_values(const YamlSetting& setting, std::size_t index) {
    const auto& policy = retry_policies()[index];
    std::vector<std::string_view> names;
    for (const auto& value : policy.values) names.push_back(value.java);
    if (setting.kind != YamlSetting::Kind::map) {
      return setting.wrong_value(fmt::format("{} is a map with {}", setting.name, fmt::join(names, ", ")));
    }
    auto& said = blocks_[index];
    for (const auto& each : setting.settings) {
      const auto name = bound(each.name);
      const auto found = std::find_if(policy.values.begin(), policy.values.end(),
                                      [&](const RetryValue& value) { return value.java == name; });
      if (found == policy.values.end()) return unknown(each, names);
      said.emplace_back(&each, found->key);
    }
    return {};
  }

  Parsed<void> choose(const YamlSetting& block, const YamlSetting* chosen) {
    if (chosen == nullptr) return {};
    const auto text = one_text(*chosen);
    if (!text) return tl::unexpected(text.error());
    Form form{.kind = Form::Kind::word};
    for (const auto& policy : retry_policies()) form.words.push_back(policy.java);
    const auto index = parse_word(form, *text);
    if (!index) {
      return chosen->wrong_value(fmt::format("{} is {}: {}", chosen->name, in_quotes(*text), index.error()));
    }
    const auto& policy = retry_policies()[*index];
    file_.entries.push_back({"retry.policy", std::string(policy.name), chosen->value_place});
    std::vector<std::string_view> said;
    for (const auto& [setting, key] : blocks_[*index]) {
      if (auto added = add_number(*setting, fmt::format("retry.{}", key)); !added) return added;
      said.push_back(key);
    }
    for (const auto& value : policy.values) {
      if (std::find(said.begin(), said.end(), value.key) != said.end()) continue;
      file_.notes.push_back(fmt::format("{}{} says no {}.{}; {} is used", chosen->value_place.prefix(), block.name,
                                        plain_key(policy.java), value.java, value.usual));
    }
    return {};
  }

  ClientFile& file_;
  // By policy: which of its values are there.
  std::map<std::size_t, std::vector<std::pair<const YamlSetting*, std::string_view>>> blocks_;
};

}  // namespace

Parsed<void> read_zk_lock(const YamlSetting& block, ClientFile& file) { return Block(file).read(block); }

}  // namespace holdfast::settings
