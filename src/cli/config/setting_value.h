// setting_value.h -- what the server's settings mean: addresses and digests. What all settings have in common is in src/settings.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/engine.h"
#include "settings/setting_value.h"

namespace holdfast::cli {

// The command speaks of settings everywhere.
using namespace settings;

// "127.0.0.1:2181", "[::1]:2181", "localhost:2181"; port 0 lets the kernel choose.
Parsed<Listen> parse_listen(std::string_view text, bool tls);
std::string show_listen(const Listen& listen);
bool is_loopback(const Listen& listen);

// "user:base64(sha1(user:password))"
Parsed<std::string> parse_digest(std::string_view text);

}  // namespace holdfast::cli
