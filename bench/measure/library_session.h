// library_session.h -- sessions of libzookeeper_mt.
#pragma once

#include <cstdint>
#include <memory>

#include "measure/session.h"

namespace holdfast::bench {

// Throws std::runtime_error that says what was asked, unless `code` is ZOK.
void must(int code, const char* what);

std::unique_ptr<Session> connect_library(std::uint16_t port);

}  // namespace holdfast::bench
