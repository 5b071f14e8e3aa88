#include "base/random.h"

#include <unistd.h>

#include <random>
#include <utility>

#include "base/assert.h"

namespace holdfast::base {
namespace {

thread_local std::function<std::uint32_t()> owned;

// Not by std::random_device: making one asks the processor what it can (CPUID), which in a virtual machine costs more than the rest of a lock.
std::uint32_t from_the_system() {
  std::uint32_t number = 0;
  const int failed = getentropy(&number, sizeof number);
  HOLDFAST_ASSERT(failed == 0, failed);
  return number;
}

}  // namespace

std::uint32_t random_number() { return owned ? owned() : from_the_system(); }

Dice::result_type Dice::operator()() const {
  thread_local std::mt19937 sequence{from_the_system()};
  return owned ? owned() : static_cast<result_type>(sequence());
}

OwnRandomNumbers::OwnRandomNumbers(std::function<std::uint32_t()> source) { owned = std::move(source); }
OwnRandomNumbers::~OwnRandomNumbers() { owned = nullptr; }

}  // namespace holdfast::base
