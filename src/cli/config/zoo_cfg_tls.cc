#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/config/zoo_cfg_lines.h"

namespace holdfast::cli {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// ZooKeeper goes by the type if there is one, else by the file's ending.
bool is_pem(const std::string& location, const std::optional<Property>& type) {
  return type && !type->value.empty() ? lower(type->value) == "pem" : lower(location).ends_with(".pem");
}

std::string cannot_read(const ZooCfgLines& lines, const Property& store, std::string_view advice) {
  return lines.sentence(store, fmt::format("{} is {}, which is not PEM and is not read here; convert it ({}", store.key,
                                           in_quotes(store.value), advice));
}

}  // namespace

Parsed<void> read_zoo_cfg_tls(ZooCfgLines& lines, ConfigDraft& draft) {
  // Without the port ZooKeeper does not look at its stores, whatever they are.
  const bool secure = draft.is_set("listen_tls");
  const auto key_type = lines.take("ssl.keyStore.type");
  const auto trust_type = lines.take("ssl.trustStore.type");
  const auto client_auth = lines.take("ssl.clientAuth");
  const auto asked = client_auth ? lower(client_auth->value) : std::string();

  if (const auto store = lines.take("ssl.keyStore.location")) {
    if (is_pem(store->value, key_type)) {
      for (const auto* key : {"tls_cert", "tls_key"}) {  // ZooKeeper has both in one file
        if (auto set = draft.set(key, {store->value}, lines.place(*store), store->key); !set) return set;
      }
    } else if (secure) {
      draft.refuse(cannot_read(lines, *store,
                               "keytool -importkeystore to PKCS12, then openssl pkcs12 -nodes) or give --tls-cert and "
                               "--tls-key; see docs/server.md"),
                   "tls_cert");
    }
  }
  const auto trust = lines.take("ssl.trustStore.location");
  if (asked == "none") return {};
  if (client_auth && !asked.empty() && asked != "need" && asked != "want") {
    return tl::unexpected(lines.sentence(
        *client_auth, fmt::format("ssl.clientAuth is {}: write need, want or none", in_quotes(client_auth->value))));
  }
  if (trust && is_pem(trust->value, trust_type)) {
    auto set = draft.set("tls_client_ca", {trust->value}, lines.place(*trust), trust->key);
    if (set && asked == "want") {
      draft.say(lines.sentence(*client_auth,
                               "ssl.clientAuth=want becomes need: clients without a certificate are turned away"),
                "tls_client_ca");
    }
    return set;
  }
  if (!secure) return {};
  if (trust) {
    draft.refuse(cannot_read(lines, *trust, "keytool -exportcert -rfc) or give --tls-client-ca; see docs/server.md"),
                 "tls_client_ca");
  } else {
    // Fail closed: ZooKeeper asks for client certificates unless told otherwise.
    draft.refuse(
        fmt::format("{}: secureClientPort asks clients for certificates, but ssl.trustStore.location does not say "
                    "whose; name a PEM file there, or write ssl.clientAuth=none",
                    lines.file()),
        "tls_client_ca");
  }
  return {};
}

}  // namespace holdfast::cli
