// publish.h -- gives a file its name only when every byte of it is durable: no crash leaves half of a file under that name.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "store/disk.h"
#include "store/failure.h"

namespace holdfast::store {

// The name of a file until it is complete.
std::string temporary(const std::string& path);

// Syncs `file`, renames it from temporary(path) to `path` and syncs the directory. If that fails, it may or may not have its
// name, now and after a crash.
tl::expected<void, Failure> publish(Disk& disk, File& file, const std::string& directory, const std::string& path);

// Makes a small file. On failure the temporary file is removed, if possible.
tl::expected<std::unique_ptr<File>, Failure> publish(Disk& disk, const std::string& directory, const std::string& name,
                                                     std::string_view bytes);

}  // namespace holdfast::store
