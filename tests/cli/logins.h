// logins.h -- a user of a server that asks for a login, and the password for it.
#pragma once

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace holdfast::testing {

// `users` for --require-auth of the server, `password` for --auth of the commands.
inline void write_logins(const TempDir& dir) {
  // printf orders:secret | openssl dgst -sha1 -binary | base64
  std::ofstream(dir / "users") << "orders:08sob9dMDb87qFrxEU6Yzq8j3HU=\n";
  std::ofstream(dir / "password") << "orders:secret\n";
  for (const auto* name : {"users", "password"}) {
    std::filesystem::permissions(dir / name, std::filesystem::perms::owner_read);
  }
}

}  // namespace holdfast::testing
