// status.h -- ZooKeeper's result codes in the words of the SPI.
#pragma once

#include <string>

#include "holdfast/spi/queue_backend.h"

namespace holdfast::zookeeper {

spi::Status status_of(int rc);
// "create /a/b: no node"
std::string describe(int rc, const std::string& what);

template <class T>
spi::Reply<T> failure(int rc, const std::string& what) {
  return {status_of(rc), describe(rc, what), {}};
}

}  // namespace holdfast::zookeeper
