// make_backend.h -- the store of a mode, for a Redis at an address.
#pragma once

#include <chrono>
#include <memory>

#include "backend/redis/address.h"
#include "holdfast/redis_options.h"
#include "holdfast/spi/queue_backend.h"
#include "net/client_tls.h"
#include "net/reactor.h"
#include "redis/client.h"

namespace holdfast::redis {

// The options with what the URL says, which counts more, and nothing left empty that has a default. Throws Error(invalid_argument) with a sentence that says what would be right.
RedisOptions merged(RedisOptions options, const Address& address);

// How to reach it and log in. `options`: merged.
Client::Options client_options(const Address& address, const RedisOptions& options,
                               std::chrono::milliseconds connection_timeout);

// `options`: merged. `tls`: none: plain text.
std::unique_ptr<spi::QueueBackend> make_backend(net::Reactor& reactor, const Address& address,
                                                const RedisOptions& options, std::chrono::milliseconds session_timeout,
                                                std::chrono::milliseconds connection_timeout,
                                                std::shared_ptr<net::ClientTls> tls);

}  // namespace holdfast::redis
