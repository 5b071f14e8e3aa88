#include "settings/client_keys.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "backend/redis/address.h"
#include "backend/zookeeper/address.h"
#include "base/name.h"
#include "settings/small_file.h"

namespace holdfast::settings {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;
using Kind = Form::Kind;

// A busy machine could not keep a shorter session alive.
constexpr Range<milliseconds> kSessions{200ms, kLongestTimeout};
constexpr Range<milliseconds> kConnects{1ms, kLongestTimeout};
constexpr Range<milliseconds> kPauses{0ms, kLongestTimeout};
constexpr Range<std::size_t> kRetries{0, 1'000'000'000};
constexpr std::size_t kMostPurpose = 256;

// `field` finds it in the draft.
template <typename Field>
ClientKey text(std::string_view key, std::string_view about, Field field, Kind kind = Kind::text) {
  return {key, {.kind = kind}, about, [=](ClientDraft& draft, const std::string& value) -> Parsed<void> {
            field(draft) = value;
            return {};
          }};
}

template <typename Field>
ClientKey time(std::string_view key, std::string_view about, Field field, Range<milliseconds> range) {
  const Form form{.kind = Kind::time, .times = range};
  return {key, form, about, [=](ClientDraft& draft, const std::string& value) -> Parsed<void> {
            const auto parsed = parse_time(form, value);
            if (!parsed) return tl::unexpected(parsed.error());
            field(draft) = *parsed;
            return {};
          }};
}

template <typename Field>
ClientKey count(std::string_view key, std::string_view about, Field field) {
  const Form form{.kind = Kind::count, .counts = kRetries};
  return {key, form, about, [=](ClientDraft& draft, const std::string& value) -> Parsed<void> {
            const auto parsed = parse_count(form, value);
            if (!parsed) return tl::unexpected(parsed.error());
            field(draft) = *parsed;
            return {};
          }};
}

Parsed<void> set_url(ClientDraft& draft, const std::string& value) {
  auto& url = draft.settings.url;
  url = zookeeper::with_scheme(value);
  if (url == "local:" || url.starts_with("memory:") || url.starts_with("embedded:")) return {};
  if (zookeeper::is_address(url)) {
    const auto address = zookeeper::parse_address(url);
    return address ? Parsed<void>() : tl::unexpected(address.error());
  }
  if (redis::is_address(url)) {
    const auto address = redis::parse_address(url);
    return address ? Parsed<void>() : tl::unexpected(address.error());
  }
  return tl::unexpected(
      std::string("write zk://host:port,host:port[/chroot], zks:// for TLS, redis://host:port[/db], rediss:// for TLS, "
                  "local:, embedded:, embedded:/directory or memory:"));
}

Parsed<void> set_name_space(ClientDraft& draft, const std::string& value) {
  const auto name = base::parse_name(value);
  if (!name) return tl::unexpected(name.error());
  draft.settings.options.name_space = *name;
  return {};
}

Parsed<void> set_purpose(ClientDraft& draft, const std::string& value) {
  if (value.size() > kMostPurpose) {
    return tl::unexpected(fmt::format("write at most {} bytes", kMostPurpose));
  }
  draft.settings.options.purpose = value;
  return {};
}

Parsed<void> set_auth(ClientDraft& draft, const std::string& file) {
  auto login = read_password_file(file);
  if (!login) return tl::unexpected(login.error());
  const auto colon = login->find(':');
  auto& options = draft.settings.options;
  if (redis::is_address(draft.settings.url)) {
    options.redis.user = login->substr(0, colon);
    options.redis.password = login->substr(colon + 1);
  } else {
    options.zookeeper.auth.push_back({"digest", *std::move(login)});
  }
  return {};
}

Parsed<void> set_sentinel_auth(ClientDraft& draft, const std::string& file) {
  const auto login = read_password_file(file);
  if (!login) return tl::unexpected(login.error());
  const auto colon = login->find(':');
  draft.settings.options.redis.sentinel_user = login->substr(0, colon);
  draft.settings.options.redis.sentinel_password = login->substr(colon + 1);
  return {};
}

Parsed<void> set_verify(ClientDraft& draft, const std::string& value) {
  const auto flag = parse_flag(value);
  if (!flag) return tl::unexpected(flag.error());
  draft.settings.options.tls.verify = *flag;
  return {};
}

ClientKey retry_policy() {
  Form form{.kind = Kind::word};
  for (const auto& policy : retry_policies()) form.words.push_back(policy.name);
  return {"retry.policy", form, "How often a call tries again when the service cannot be reached",
          [form](ClientDraft& draft, const std::string& value) -> Parsed<void> {
            const auto index = parse_word(form, value);
            if (!index) return tl::unexpected(index.error());
            draft.retry.policy = *index;
            return {};
          }};
}

std::vector<ClientKey> make_keys() {
  return {
      {"url", {}, "Where the service is; see Client::connect()", set_url},
      {"namespace", {}, "Put before every name", set_name_space},
      time(
          "session_timeout", "How long the service waits for a sign of life before it gives the locks away",
          [](auto& d) -> auto& { return d.settings.options.session_timeout; }, kSessions),
      time(
          "connect_timeout", "How long one attempt to reach the service may take",
          [](auto& d) -> auto& { return d.settings.options.connection_timeout; }, kConnects),
      {"auth", {.kind = Kind::file}, "A file with user:password, beside this one", set_auth},
      {"sentinel_auth", {.kind = Kind::file}, "The same for the Sentinels of Redis", set_sentinel_auth},
      text(
          "tls.ca", "Authorities whose servers are trusted (PEM); those of the system if there are none",
          [](auto& d) -> auto& { return d.settings.options.tls.ca; }, Kind::file),
      text(
          "tls.certificate", "The certificate to show to the server (PEM)",
          [](auto& d) -> auto& { return d.settings.options.tls.certificate; }, Kind::file),
      text(
          "tls.key", "Its key (PEM)", [](auto& d) -> auto& { return d.settings.options.tls.key; }, Kind::file),
      text(
          "tls.server_name", "The name that the server's certificate must have, if it is not that of the URL",
          [](auto& d) -> auto& { return d.settings.options.tls.server_name; }),
      {"tls.verify", {.kind = Kind::flag}, "false: every server is trusted; only for trying things out", set_verify},
      text(
          "sasl.mechanism", "DIGEST-MD5 or GSSAPI",
          [](auto& d) -> auto& { return d.settings.options.zookeeper.sasl.mechanism; }),
      text(
          "sasl.user", "Of DIGEST-MD5", [](auto& d) -> auto& { return d.settings.options.zookeeper.sasl.user; }),
      text(
          "sasl.password_file", "A file whose first line is the password",
          [](auto& d) -> auto& { return d.settings.options.zookeeper.sasl.password_file; }, Kind::file),
      text(
          "sasl.service", "The first part of the server's principal",
          [](auto& d) -> auto& { return d.settings.options.zookeeper.sasl.service; }),
      {"purpose", {}, "Shown to those who ask for the holder of a lock", set_purpose},
      retry_policy(),
      time(
          "retry.base", "Of exponential-backoff: the first pause, which then doubles",
          [](auto& d) -> auto& { return d.retry.base; }, kPauses),
      count(
          "retry.max_retries", "Of exponential-backoff: how often",
          [](auto& d) -> auto& { return d.retry.max_retries; }),
      time(
          "retry.max_delay", "Of exponential-backoff: the longest pause",
          [](auto& d) -> auto& { return d.retry.max_delay; }, kPauses),
      count(
          "retry.n", "Of n-times: how often", [](auto& d) -> auto& { return d.retry.n; }),
      time(
          "retry.max_elapsed", "Of until-elapsed: for how long", [](auto& d) -> auto& { return d.retry.max_elapsed; },
          kPauses),
      time(
          "retry.interval", "Of all others: the pause", [](auto& d) -> auto& { return d.retry.interval; }, kPauses),
  };
}

}  // namespace

const std::vector<ClientKey>& client_keys() {
  static const auto keys = make_keys();
  return keys;
}

const ClientKey* find_client_key(std::string_view key) {
  const auto& keys = client_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const ClientKey& each) { return each.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

Parsed<std::string> read_password_file(const std::string& file) {
  constexpr mode_t kOthers = S_IROTH | S_IWOTH;
  const auto read = read_small_file(file);
  if (!read) return tl::unexpected(read.error());
  if ((read->status.st_mode & kOthers) != 0 && S_ISREG(read->status.st_mode)) {
    return tl::unexpected(fmt::format("{} has a password in it and is open to all users: chmod o= {}", file, file));
  }
  const auto text = trimmed(read->text);
  const auto colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || text.find('\n') != std::string_view::npos) {
    return tl::unexpected(fmt::format("{} is to be one line, user:password", file));
  }
  return std::string(text);
}

}  // namespace holdfast::settings
