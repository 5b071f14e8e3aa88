// client_keys.h -- every setting of a client's file by its name: what kind of value it takes, what it is for, what it does.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/settings.h"
#include "settings/form.h"
#include "settings/retry_keys.h"

namespace holdfast::settings {

// While it is put together.
struct ClientDraft {
  ClientSettings settings{};
  RetryValues retry{};
};

struct ClientKey {
  std::string_view key;  // "tls.ca" is `ca` under `tls`
  Form form{};
  std::string_view about;  // one line
  // The error says what would be right. In the order of the table, so that the URL is known to all others.
  std::function<Parsed<void>(ClientDraft&, const std::string& text)> assign{};
};

const std::vector<ClientKey>& client_keys();
const ClientKey* find_client_key(std::string_view key);

// The user:password in such a file; refused if every user can read it.
Parsed<std::string> read_password_file(const std::string& file);

}  // namespace holdfast::settings
