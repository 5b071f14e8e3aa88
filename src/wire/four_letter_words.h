// four_letter_words.h -- ZooKeeper's plain-text questions that are answered here.
#pragma once

#include <array>
#include <string_view>

namespace holdfast::wire {

inline constexpr std::array<std::string_view, 15> kFourLetterWords{"conf", "cons", "crst", "dirs", "dump",
                                                                   "envi", "isro", "mntr", "ruok", "srst",
                                                                   "srvr", "stat", "wchc", "wchp", "wchs"};

}  // namespace holdfast::wire
