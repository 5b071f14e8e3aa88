// importer.h -- code as a user has it: works through a list while it holds a lock, and stops as soon as it cannot prove that it does.
#pragma once

#include <holdfast/client.h>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

enum class Imported { all, interrupted };

// Imports each order while no other importer does. `write` gets the token, so that the database can refuse a late one, and is to stop early
// when `lost` is requested.
using Write = std::function<void(const std::string& order, holdfast::Token token, const std::stop_token& lost)>;

inline Imported import_all(holdfast::Client& client, const std::vector<std::string>& orders, const Write& write) {
  auto mutex = client.mutex("import");
  auto lease = mutex.acquire();
  for (const auto& order : orders) {
    if (!lease.is_held()) return Imported::interrupted;
    write(order, lease.token(), lease.lost());
  }
  return lease.is_held() ? Imported::all : Imported::interrupted;
}
