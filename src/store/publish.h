// publish.h -- a file gets its name only when every byte of it is durable: no crash leaves half of it under that name.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "store/disk.h"
#include "store/failure.h"

namespace holdfast::store {

// What a file is called until it is whole.
std::string temporary(const std::string& path);

// Syncs `file`, renames it from temporary(path) to `path` and syncs the directory. If that fails, it may or may not have its
// name, now and after a crash.
tl::expected<void, Failure> publish(Disk& disk, File& file, const std::string& directory, const std::string& path);

// A small file from its content. On failure the temporary file is removed, if possible.
tl::expected<std::unique_ptr<File>, Failure> publish(Disk& disk, const std::string& directory, const std::string& name,
                                                     std::string_view bytes);

}  // namespace holdfast::store
