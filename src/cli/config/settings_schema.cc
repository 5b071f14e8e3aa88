#include "cli/config/settings_schema.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings/client_keys.h"
#include "settings/lock_keys.h"
#include "settings/retry_keys.h"

namespace holdfast::cli {
namespace {

using Json = nlohmann::ordered_json;
using settings::Form;

constexpr auto kTime = R"(^([0-9]+\.?[0-9]*|\.[0-9]+)\s*(d|h|m|s|ms)$)";

std::string with_hyphens(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// session-timeout: sessionTimeout
std::string as_camel(std::string_view name) {
  std::string camel;
  bool next = false;
  for (const char c : name) {
    if (c == '-' || c == '_') {
      next = true;
    } else {
      camel += std::exchange(next, false) ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
  }
  return camel;
}

Json object(std::string_view about = {}) {
  Json made{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  if (!about.empty()) made["description"] = about;
  return made;
}

Json words(const std::vector<std::string_view>& all) {
  Json list = Json::array();
  for (const auto word : all) {
    list.push_back(word);
    if (const auto plain = settings::plain_key(word); plain != word) list.push_back(plain);
  }
  return {{"enum", list}};
}

Json value(const Form& form) {
  switch (form.kind) {
    case Form::Kind::time: return {{"type", "string"}, {"pattern", kTime}};
    case Form::Kind::count: return {{"type", "integer"}, {"minimum", form.counts.least}, {"maximum", form.counts.most}};
    case Form::Kind::flag: return {{"enum", {true, false, "true", "false", "yes", "no", "on", "off"}}};
    case Form::Kind::word: return words(form.words);
    case Form::Kind::text:
    case Form::Kind::file: break;
  }
  // What a text looks like is up to YAML: 007 is a name space, too.
  return {{"type", {"string", "number", "boolean"}}, {"minLength", 1}};
}

// By both of its spellings.
void add(Json& map, const std::string& name, const Json& schema) {
  map["properties"][name] = schema;
  map["properties"][with_hyphens(name)] = schema;
}

// Of a table: "tls.ca" is `ca` under `tls`.
template <typename Keys>
Json map_of(const Keys& keys, std::string_view about) {
  Json map = object(about);
  for (const auto& key : keys) {
    auto schema = value(key.form);
    schema["description"] = key.about;
    const auto dot = key.key.find('.');
    if (dot == std::string_view::npos) {
      add(map, std::string(key.key), schema);
      continue;
    }
    const std::string group(key.key.substr(0, dot));
    auto inner = map["properties"].value(group, object());
    add(inner, std::string(key.key.substr(dot + 1)), schema);
    add(map, group, inner);
  }
  return map;
}

Json zk_lock() {
  const Json number{{"anyOf", {{{"type", "integer"}, {"minimum", 0}}, {{"type", "string"}, {"pattern", kTime}}}}};
  Json block = object("The block of a Java starter, as it is; times are milliseconds");
  const auto add_all = [](Json& map, const std::string& name, const Json& schema) {
    add(map, name, schema);
    map["properties"][as_camel(name)] = schema;
  };
  add_all(block, "address", {{"type", "string"}, {"minLength", 1}});
  add_all(block, "connection_timeout", number);
  add_all(block, "session_timeout", number);
  std::vector<std::string_view> policies;
  for (const auto& policy : settings::retry_policies()) {
    policies.push_back(policy.java);
    Json values = object();
    for (const auto& each : policy.values) add_all(values, std::string(each.java), number);
    add_all(block, settings::plain_key(policy.java), values);
  }
  add_all(block, "retry_policy", words(policies));
  return block;
}

}  // namespace

Json settings_schema() {
  auto schema = map_of(settings::client_keys(), "Settings of a client of Holdfast: docs/settings.md");
  Json locks{{"type", {"object", "null"}}, {"description", "What counts for locks, by patterns of their names"}};
  locks["additionalProperties"] = map_of(settings::lock_keys(), "Settings of the locks whose names fit");
  add(schema, "locks", locks);
  add(schema, "zk_lock", zk_lock());
  Json document{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Holdfast"}};
  document.update(schema);
  document["type"] = {"object", "null"};  // nothing yet
  return document;
}

}  // namespace holdfast::cli
