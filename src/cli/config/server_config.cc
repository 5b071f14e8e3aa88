#include "cli/config/server_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/config/auth_file.h"
#include "cli/config/config_draft.h"
#include "cli/config/server_yaml.h"
#include "cli/config/zoo_cfg.h"
#include "settings/duration.h"
#include "settings/small_file.h"

namespace holdfast::cli {
namespace {

using Done = Parsed<void>;

Done read_file(const std::string& file, ConfigDraft& draft) {
  const auto read = read_small_file(file);
  if (!read) return tl::unexpected(read.error());
  return is_zoo_cfg(file, read->text) ? read_zoo_cfg(read->text, file, draft)
                                      : read_server_yaml(read->text, file, draft);
}

Done read_command_line(const std::vector<GivenOption>& given, ConfigDraft& draft) {
  for (const auto& option : given) {
    auto key = option.name.substr(2);
    std::replace(key.begin(), key.end(), '-', '_');
    if (auto set = draft.set(key, option.texts, {}, option.name); !set) return set;
  }
  return {};
}

// Apache's files are never mixed with ours, nor taken for an empty directory.
Done refuse_foreign_data(const std::string& directory, std::string_view option) {
  constexpr std::string_view kApaches = "version-2";
  std::error_code ignored;
  const auto path = std::filesystem::path(directory).lexically_normal();
  const bool is_it = path.filename() == kApaches || (!path.has_filename() && path.parent_path().filename() == kApaches);
  if (directory.empty() || !(is_it || std::filesystem::exists(path / kApaches, ignored))) return {};
  return tl::unexpected(
      fmt::format("{} holds data of Apache ZooKeeper ({}), whose format is not read here; nothing was "
                  "touched; name another directory with {}",
                  directory, kApaches, option));
}

Done check_tls(const ConfigDraft& draft) {
  const auto& settings = draft.settings();
  const auto& tls = settings.engine.tls;
  if (tls.certificate.empty() != tls.key.empty()) {
    return tl::unexpected(tls.key.empty() ? std::string("tls_cert needs its key: give --tls-key, too")
                                          : std::string("tls_key needs its certificate: give --tls-cert, too"));
  }
  if (!settings.listen_tls.empty() && tls.certificate.empty()) {
    return tl::unexpected(std::string("listening with TLS needs a certificate: give --tls-cert and --tls-key"));
  }
  return {};
}

Done check_sessions(const ConfigDraft& draft) {
  const auto& engine = draft.settings().engine;
  using std::chrono::milliseconds;
  const auto least = engine.min_session_timeout > milliseconds(0) ? engine.min_session_timeout : engine.tick_time * 2;
  const auto most = engine.max_session_timeout > milliseconds(0) ? engine.max_session_timeout : engine.tick_time * 20;
  if (least <= most) return {};
  return tl::unexpected(
      fmt::format("min_session_timeout is {} ({}) and max_session_timeout {} ({}): the least must not be "
                  "more than the most",
                  show_duration(least), draft.origin("min_session_timeout"), show_duration(most),
                  draft.origin("max_session_timeout")));
}

void say_what_is_dangerous(ConfigDraft& draft) {
  const auto& settings = draft.settings();
  const auto& tls = settings.engine.tls;
  if (settings.listen_tls.empty() && !(tls.certificate.empty() && tls.client_ca.empty())) {
    draft.say("warning: the certificates are not used, as nothing listens with TLS; give --listen-tls");
  }
  const bool open = settings.require_auth_file.empty();
  for (const auto& listen : settings.listen) {
    if (is_loopback(listen)) continue;
    draft.say(fmt::format("warning: {} can be reached from other machines and is not encrypted; prefer --listen-tls",
                          show_listen(listen)));
  }
  for (const auto* listeners : {&settings.listen, &settings.listen_tls}) {
    for (const auto& listen : *listeners) {
      const bool certified = listen.tls && !tls.client_ca.empty();
      if (is_loopback(listen) || !open || certified) continue;
      draft.say(
          fmt::format("warning: {} can be reached from other machines and lets every client in; use --require-auth{}",
                      show_listen(listen), listen.tls ? " or --tls-client-ca" : ""));
    }
  }
}

Done complete(ConfigDraft& draft) {
  auto& settings = draft.settings();
  if (settings.listen.empty() && settings.listen_tls.empty()) settings.listen.push_back({.port = 2181});
  if (const auto refusal = draft.refusal(); !refusal.empty()) return tl::unexpected(refusal);
  if (auto done = check_tls(draft); !done) return done;
  if (auto done = check_sessions(draft); !done) return done;
  if (!settings.engine.log_dir.empty() && settings.engine.data_dir.empty()) {
    return tl::unexpected(std::string("log_dir is for what is kept in a directory: give --data, too"));
  }
  if (auto done = refuse_foreign_data(settings.engine.data_dir, "--data"); !done) return done;
  if (auto done = refuse_foreign_data(settings.engine.log_dir, "--log-dir"); !done) return done;
  if (!settings.require_auth_file.empty()) {
    auto users = read_auth_file(settings.require_auth_file);
    if (!users) return tl::unexpected(users.error());
    settings.engine.require_auth = *std::move(users);
  }
  say_what_is_dangerous(draft);
  return {};
}

}  // namespace

bool is_zoo_cfg(const std::string& file, std::string_view text) {
  const auto ending = std::filesystem::path(file).extension();
  if (ending == ".yaml" || ending == ".yml") return false;
  if (ending == ".cfg" || ending == ".properties") return true;
  while (!text.empty()) {
    const auto line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (line.empty() || line.starts_with('#') || line.starts_with('!')) continue;
    const auto sign = line.find_first_of("=:");
    return sign != std::string_view::npos && line[sign] == '=';
  }
  return false;
}

Parsed<ServerConfig> load_server_config(const std::string& file, const std::vector<GivenOption>& given) {
  ConfigDraft draft;
  auto done = file.empty() ? Done{} : read_file(file, draft);
  if (done) done = read_command_line(given, draft);
  if (done) done = complete(draft);
  if (!done) return tl::unexpected(done.error());

  ServerConfig config{draft.settings().engine, draft.settings().log_file, draft.lines(), print_config(draft)};
  for (const auto* listeners : {&draft.settings().listen, &draft.settings().listen_tls}) {
    config.options.listen.insert(config.options.listen.end(), listeners->begin(), listeners->end());
  }
  return config;
}

}  // namespace holdfast::cli
