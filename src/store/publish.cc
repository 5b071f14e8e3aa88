#include "store/publish.h"

#include "store/failures.h"
#include "store/file_names.h"

namespace holdfast::store {

std::string temporary(const std::string& path) { return path + std::string(kTemporarySuffix); }

tl::expected<void, Failure> publish(Disk& disk, File& file, const std::string& directory, const std::string& path) {
  if (const auto synced = file.sync(); !synced) return tl::unexpected(cannot("synced", path, synced.error()));
  if (const auto named = disk.rename(temporary(path), path); !named) {
    return tl::unexpected(cannot("renamed into place", path, named.error()));
  }
  if (const auto synced = disk.sync_directory(directory); !synced) {
    return tl::unexpected(cannot("synced", directory, synced.error()));
  }
  return {};
}

tl::expected<std::unique_ptr<File>, Failure> publish(Disk& disk, const std::string& directory, const std::string& name,
                                                     std::string_view bytes) {
  const std::string path = join(directory, name);
  auto file = disk.open(temporary(path), Disk::Mode::create);
  if (!file) return tl::unexpected(cannot("created", path, file.error()));
  const auto written = (*file)->write_at(0, bytes);
  tl::expected<void, Failure> done;
  if (written) {
    done = publish(disk, **file, directory, path);
  } else {
    done = tl::unexpected(cannot("written", path, written.error()));
  }
  if (!done) {
    // Best effort: it may have been renamed already, and the next start removes it otherwise.
    static_cast<void>(disk.remove(temporary(path)));
    return tl::unexpected(done.error());
  }
  return std::move(*file);
}

}  // namespace holdfast::store
