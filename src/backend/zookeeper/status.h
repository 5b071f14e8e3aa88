// status.h -- ZooKeeper's result codes in the words of the SPI.
#pragma once

#include <string>

#include "holdfast/spi/queue_backend.h"
#include "wire/protocol.h"

namespace holdfast::zookeeper {

using wire::Code;

spi::Status status_of(Code code);
std::string to_text(Code code);
// "create /a/b: no such node"
std::string describe(Code code, const std::string& what);

template <class T>
spi::Reply<T> failure(Code code, const std::string& what) {
  return {status_of(code), describe(code, what), {}};
}

}  // namespace holdfast::zookeeper
