#include "cli/config/zoo_cfg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "cli/config/zoo_cfg_lines.h"

namespace holdfast::cli {
namespace {

using Done = Parsed<void>;

// Settings that are a number there and here. ZooKeeper's times are milliseconds, its sizes bytes.
struct SameNumber {
  std::string_view zoo;
  std::string_view ours;
  std::string_view unit;
};
constexpr std::string_view kMilliseconds = " of milliseconds";
constexpr std::array kSameNumbers{
    SameNumber{"tickTime", "tick_time", kMilliseconds},
    SameNumber{"minSessionTimeout", "min_session_timeout", kMilliseconds},
    SameNumber{"maxSessionTimeout", "max_session_timeout", kMilliseconds},
    SameNumber{"znode.container.checkIntervalMs", "container_check_interval", kMilliseconds},
    SameNumber{"snapCount", "snapshot_after", ""},
    SameNumber{"maxClientCnxns", "limits.connections_per_address", ""},
    SameNumber{"jute.maxbuffer", "limits.frame", " of bytes"},
};

// What is not for us, and why. The longest that fits counts; an entry with a dot at its end is for all below it.
struct Ignored {
  std::string_view key;
  std::string_view why;
};
constexpr std::string_view kForEnsembles = "it is for ensembles, this is a single server";
constexpr std::array kIgnored{
    Ignored{"initLimit", kForEnsembles},
    Ignored{"syncLimit", kForEnsembles},
    Ignored{"connectToLearnerMasterLimit", kForEnsembles},
    Ignored{"electionAlg", kForEnsembles},
    Ignored{"cnxTimeout", kForEnsembles},
    Ignored{"peerType", kForEnsembles},
    Ignored{"leaderServes", kForEnsembles},
    Ignored{"quorumListenOnAllIPs", kForEnsembles},
    Ignored{"sslQuorum", kForEnsembles},
    Ignored{"reconfigEnabled", kForEnsembles},
    Ignored{"standaloneEnabled", kForEnsembles},
    Ignored{"quorum.", kForEnsembles},
    Ignored{"ssl.quorum.", kForEnsembles},
    Ignored{"multiAddress.", kForEnsembles},
    Ignored{"admin.", "there is no admin server; the four-letter words answer its questions"},
    Ignored{"metricsProvider.", "there is no such provider; the four-letter word mntr has the metrics"},
    Ignored{"serverCnxnFactory", "there is one way to listen, with and without TLS"},
    Ignored{"preAllocSize", "the log grows by itself"},
    Ignored{"ssl.keyStore.password", "a PEM key is read as it is, it must not be encrypted"},
    Ignored{"ssl.trustStore.password", "PEM certificates need none"},
};

std::string_view why_ignored(std::string_view key) {
  for (const auto& ignored : kIgnored) {
    if (ignored.key == key || (ignored.key.ends_with('.') && key.starts_with(ignored.key))) return ignored.why;
  }
  return "it is not known here";
}

// As Integer.decode() would: 2000, -1, 0xfffff.
std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
}

class Reader {
 public:
  Reader(ZooCfgLines& lines, ConfigDraft& draft) : lines_(lines), draft_(draft) {}

  Done read() {
    for (const auto step : {&Reader::refuse_ensembles, &Reader::directories, &Reader::ports, &Reader::numbers,
                            &Reader::purge, &Reader::four_letter_words, &Reader::nodes_and_users, &Reader::safety}) {
      if (auto done = (this->*step)(); !done) return done;
    }
    if (auto done = read_zoo_cfg_tls(lines_, draft_); !done) return done;
    for (const auto& line : lines_.rest()) {
      draft_.say(lines_.sentence(line, fmt::format("{} is ignored: {}", line.key, why_ignored(line.key))));
    }
    return {};
  }

 private:
  Done wrong(const Property& line, std::string_view right) {
    return tl::unexpected(lines_.sentence(line, fmt::format("{} is {}: {}", line.key, in_quotes(line.value), right)));
  }
  Done set(std::string_view key, const std::string& text, const Property& line) {
    return draft_.set(key, {text}, lines_.place(line), line.key);
  }

  Done refuse_ensembles() {
    for (const auto& line : lines_.rest()) {
      const bool member = line.key.starts_with("server.") || line.key.starts_with("group.") ||
                          line.key.starts_with("weight.") || line.key == "dynamicConfigFile" ||
                          (line.key == "standaloneEnabled" && line.value == "false") ||
                          (line.key == "peerType" && line.value == "observer");
      if (!member) continue;
      return tl::unexpected(lines_.sentence(
          line,
          fmt::format("{} describes an ensemble, and this is a single server; run Apache ZooKeeper for an ensemble, "
                      "clients stay the same (for one server, take the line out)",
                      line.key)));
    }
    return {};
  }

  Done directories() {
    if (const auto line = lines_.take("dataDir")) {
      if (auto done = set("data", line->value, *line); !done) return done;
    } else {
      // Not in memory by accident: ZooKeeper does not start without it either.
      draft_.refuse(fmt::format("{}: dataDir is missing; write one, or give --data DIR", lines_.file()), "data");
    }
    const auto log = lines_.take("dataLogDir");
    return log ? set("log_dir", log->value, *log) : Done{};
  }

  Done ports() {
    if (auto done = port("clientPort", "listen"); !done) return done;
    return port("secureClientPort", "listen_tls");
  }

  Done port(const std::string& name, std::string_view ours) {
    const auto line = lines_.take(name);
    const auto address = lines_.take(name + "Address");
    const auto number = line ? parse_integer(line->value) : 0;
    if (!number || *number < 0 || *number > 65535) return wrong(*line, "write a port up to 65535, such as 2181");
    if (*number == 0) {  // ZooKeeper's "not set"
      if (address) return wrong(*address, fmt::format("write {}, too", name));
      return {};
    }
    std::string host = address ? address->value : "127.0.0.1";
    const bool bare_v6 = host.find(':') != std::string::npos && !host.starts_with('[');
    if (bare_v6) host = "[" + host + "]";
    const auto& blamed = address ? *address : *line;
    if (auto done = set(ours, fmt::format("{}:{}", host, *number), blamed); !done) return done;
    if (!address) {
      draft_.say(
          lines_.sentence(*line, fmt::format("{} has no {}Address: listening on 127.0.0.1 only, where ZooKeeper would "
                                             "listen on every address; write {}Address=0.0.0.0 for that",
                                             name, name, name)),
          ours);
    }
    return {};
  }

  Done numbers() {
    for (const auto& same : kSameNumbers) {
      const auto line = lines_.take(same.zoo);
      if (!line) continue;
      auto number = parse_integer(line->value);
      const bool timeout = same.zoo.ends_with("SessionTimeout");
      if (timeout && number == -1) continue;   // "so many ticks"
      if (timeout && number == 0) number = 1;  // no limit below; our zero is "so many ticks"
      if (!number || *number < 0) return wrong(*line, fmt::format("write a whole number{}", same.unit));
      const bool time = same.unit == kMilliseconds;
      if (auto done = set(same.ours, fmt::format("{}{}", *number, time ? "ms" : ""), *line); !done) {
        return time ? tl::unexpected(done.error() + ", here as a whole number of milliseconds") : done;
      }
    }
    if (!draft_.is_set("tick_time")) {
      draft_.settings().engine.tick_time = std::chrono::seconds(3);
      draft_.set_origin("tick_time", "ZooKeeper's default");
    }
    return {};
  }

  Done purge() {
    constexpr std::int64_t kLeastRetained = 3;  // ZooKeeper's PurgeTxnLog keeps that many whatever it is told
    if (const auto line = lines_.take("autopurge.snapRetainCount")) {
      const auto number = parse_integer(line->value);
      if (!number) return wrong(*line, "write a whole number from 3");
      const auto kept = std::max(*number, kLeastRetained);
      if (auto done = set("snapshots_kept", std::to_string(kept), *line); !done) return done;
      if (kept != *number) {
        draft_.say(lines_.sentence(*line, "autopurge.snapRetainCount is raised to 3, as ZooKeeper does"),
                   "snapshots_kept");
      }
    }
    if (const auto line = lines_.take("autopurge.purgeInterval")) {
      const auto hours = parse_integer(line->value);
      if (!hours) return wrong(*line, "write a whole number of hours, 0 to keep every snapshot");
      if (*hours <= 0) return set("snapshots_kept", std::to_string(kMostSnapshots), *line);
      draft_.say(lines_.sentence(*line, "autopurge.purgeInterval: old snapshots go whenever a new one was taken"));
    }
    return {};
  }

  Done four_letter_words() {
    const auto line = lines_.take("4lw.commands.whitelist");
    if (!line) return {};
    std::string words;
    std::vector<std::string> unknown;
    for (std::size_t begin = 0; begin <= line->value.size();) {
      const auto end = std::min(line->value.find(',', begin), line->value.size());
      const std::string word(trimmed(std::string_view(line->value).substr(begin, end - begin)));
      begin = end + 1;
      if (word == "*" || is_four_letter_word(word)) {
        words += (words.empty() ? "" : ",") + word;
      } else if (!word.empty()) {
        unknown.push_back(word);
      }
    }
    if (words.empty()) words = "srvr";  // ZooKeeper always answers that one
    if (auto done = set("four_letter_words", words, *line); !done) return done;
    for (const auto& word : unknown) {
      const auto text = fmt::format("the four-letter word {} is ignored: it is not answered here", in_quotes(word));
      draft_.say(lines_.sentence(*line, text), "four_letter_words");
    }
    return {};
  }

  Done nodes_and_users() {
    if (const auto line = lines_.take("extendedTypesEnabled")) {
      if (auto done = set("ttl_nodes", line->value, *line); !done) return done;
    }
    if (const auto line = lines_.take("DigestAuthenticationProvider.superDigest")) {
      if (auto done = set("super_digest", line->value, *line); !done) return done;
    }
    // Only "no" turns it off, in ZooKeeper as here.
    const auto sync = lines_.take("forceSync");
    return sync ? set("durability", sync->value == "no" ? "process" : "power", *sync) : Done{};
  }

  // Ignored, these would let in clients that the file keeps out.
  Done safety() {
    for (const auto* key : {"sessionRequireClientSASLAuth", "enforce.auth.enabled"}) {
      const auto line = lines_.take(key);
      if (!line || line->value == "false") continue;
      draft_.refuse(
          lines_.sentence(*line, fmt::format("{} keeps out clients without a login of a kind that is not offered "
                                             "here; give --require-auth FILE, or take the line out",
                                             key)),
          "require_auth");
    }
    return {};
  }

  ZooCfgLines& lines_;
  ConfigDraft& draft_;
};

}  // namespace

Parsed<void> read_zoo_cfg(std::string_view text, const std::string& file, ConfigDraft& draft) {
  auto properties = parse_properties(text);
  if (!properties) {
    return tl::unexpected(FilePosition{.file = file, .line = properties.error().line}.prefix() +
                          properties.error().what);
  }
  ZooCfgLines lines(*std::move(properties), file, draft);
  return Reader(lines, draft).read();
}

}  // namespace holdfast::cli
