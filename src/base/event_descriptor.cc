#include "base/event_descriptor.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace holdfast::base {

EventDescriptor::EventDescriptor() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void EventDescriptor::set() const noexcept {
  const std::uint64_t one = 1;
  // Refused only after 2^64 - 2 of these, when it is readable anyway.
  [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
}

void EventDescriptor::clear() const noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(fd_.get(), &count, sizeof count);
}

}  // namespace holdfast::base
