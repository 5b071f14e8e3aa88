#include "store/window.h"

#include <algorithm>

namespace holdfast::store {

namespace {
constexpr std::size_t kReadAhead = std::size_t{64}
                                   << 10;  // large enough that the calls cost little compared with the disk
}

DiskResult<std::string_view> Window::view(std::uint64_t offset, std::size_t count) {
  if (offset < begin_ || offset + count > begin_ + buffer_.size()) {
    buffer_.resize(std::max(count, kReadAhead));
    begin_ = offset;
    const auto got = file_->read_at(offset, buffer_);
    if (!got) {
      buffer_.clear();
      return tl::unexpected(got.error());
    }
    buffer_.resize(*got);
  }
  return std::string_view(buffer_).substr(offset - begin_, count);
}

}  // namespace holdfast::store
