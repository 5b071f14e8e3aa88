// config_draft.h -- a configuration while it is put together: who set what, what there is to say, what stands against it.
//
// Sources are read from the weakest to the strongest: file, then command line. What a file says about a setting (a note, a
// refusal) falls away when the command line sets it: a keystore that we cannot read does not matter beside --tls-cert.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config/server_settings.h"
#include "settings/file_position.h"

namespace holdfast::cli {

class ConfigDraft {
 public:
  // `name` is what the setting is called at that place: --data, data, dataDir. The error is a whole sentence.
  Parsed<void> set(std::string_view key, const std::vector<std::string>& texts, const FilePosition& place,
                   std::string_view name);

  // One line for the operator. Falls away with a later set(about).
  void say(std::string line, std::string_view about = {});
  // One sentence why this cannot be started, unless set(about) follows.
  void refuse(std::string sentence, std::string_view about);

  // For what no text stands for: defaults, and what follows from other settings. set_origin() says why it is there.
  ServerSettings& settings() { return settings_; }
  const ServerSettings& settings() const { return settings_; }
  void set_origin(std::string_view key, std::string origin);

  bool is_set(std::string_view key) const { return origins_.find(key) != origins_.end(); }
  // "--data", "zoo.cfg:4 dataDir", "default"
  std::string origin(std::string_view key) const;
  std::vector<std::string> lines() const;
  // The first; empty if there is none.
  std::string refusal() const;

 private:
  struct Remark {
    std::string about;
    std::string text;
  };

  ServerSettings settings_;
  std::map<std::string, std::string, std::less<>> origins_;
  std::vector<Remark> notes_;
  std::vector<Remark> refusals_;
};

// The whole draft as YAML that load_server_config() would read to the same effect; who set what is in comments, secrets
// are left out.
std::string print_config(const ConfigDraft& draft);

}  // namespace holdfast::cli
