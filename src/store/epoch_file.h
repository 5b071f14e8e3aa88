// epoch_file.h -- the file `epoch`: which store this is, how often it was opened, and up to where its log must go.
//
//   epoch  =  magic u64 | version u32 | flags u32 | store u64 | epoch u64 | reached u64 | segment u64 | checksum u64
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "store/disk.h"
#include "store/failure.h"
#include "store/store.h"

namespace holdfast::store {

struct Epoch {
  std::uint64_t store = 0;
  std::uint64_t epoch = 0;
  Index reached = 0;          // an index up to which the log was durable before this was written
  std::uint64_t segment = 0;  // the newest segment, so that its loss is noticed. 0: there was none
  bool has_reached = true;    // there is a file `reached`: flag 1. Versions before it wrote no flags, and ignore them
};

// Nothing if there is no such file.
tl::expected<std::optional<Epoch>, Failure> read_epoch(Disk& disk, const std::string& directory);

// Replaces the file durably, whatever the durability of the log: an epoch must never go back.
tl::expected<void, Failure> write_epoch(Disk& disk, const std::string& directory, const Epoch& epoch);

}  // namespace holdfast::store
