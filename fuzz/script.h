// script.h -- what the fuzz targets make of their bytes: a list of entries, each with a byte of control and some content.
//
//   script  =  (control u8 | length u16 | content)*      a length beyond the end is what is left
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::fuzz {

struct Entry {
  std::uint8_t control = 0;
  std::string_view content;
};

class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  std::optional<Entry> next() {
    if (rest_.size() < 3) return std::nullopt;
    const auto byte = [this](std::size_t i) { return static_cast<std::uint8_t>(rest_[i]); };
    const std::size_t length = static_cast<std::size_t>(byte(1) << 8 | byte(2));
    Entry entry{byte(0), rest_.substr(3, length)};
    rest_.remove_prefix(3 + entry.content.size());
    return entry;
  }

  // The other way round, for the corpus.
  static std::string written(std::uint8_t control, std::string_view content) {
    std::string bytes{static_cast<char>(control), static_cast<char>(content.size() >> 8),
                      static_cast<char>(content.size() & 0xff)};
    return bytes.append(content);
  }

 private:
  std::string_view rest_;
};

// An invariant: the fuzzer looks for what breaks it.
inline void require(bool holds, const char* what, std::string_view detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s %s\n", what, std::string(detail).c_str());
  std::abort();
}

inline void require_none(const std::vector<std::string>& faults) {
  if (!faults.empty()) require(false, "the state is consistent", faults.front());
}

}  // namespace holdfast::fuzz
