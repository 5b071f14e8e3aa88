// window.h -- a file, read from the beginning to the end through a buffer that is as large as the largest record asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/disk.h"

namespace holdfast::store {

class Window {
 public:
  explicit Window(File& file) : file_(&file) {}

  // `count` bytes from `offset` on; fewer only at the end of the file. Valid until the next call. The caller has checked that
  // `count` is sane.
  DiskResult<std::string_view> view(std::uint64_t offset, std::size_t count);

 private:
  File* file_;
  std::uint64_t begin_ = 0;  // offset of the first byte of buffer_
  std::string buffer_;
};

}  // namespace holdfast::store
