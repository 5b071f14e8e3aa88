#include "base/random.h"

#include <random>
#include <utility>

namespace holdfast::base {
namespace {

thread_local std::function<std::uint32_t()> owned;

}  // namespace

std::uint32_t random_number() { return owned ? owned() : std::random_device{}(); }

Dice::result_type Dice::operator()() const {
  thread_local std::mt19937 sequence{std::random_device{}()};
  return owned ? owned() : static_cast<result_type>(sequence());
}

OwnRandomNumbers::OwnRandomNumbers(std::function<std::uint32_t()> source) { owned = std::move(source); }
OwnRandomNumbers::~OwnRandomNumbers() { owned = nullptr; }

}  // namespace holdfast::base
