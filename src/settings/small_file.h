// small_file.h -- reading a file that a person wrote.
#pragma once

#include <sys/stat.h>

#include <string>

#include "settings/setting_value.h"

namespace holdfast::settings {

struct SmallFile {
  std::string text;
  struct stat status {};  // of what was read, not of what has the name by now
};

// Refuses what is larger than a person writes, and what has a zero byte in it. Pipes are fine.
Parsed<SmallFile> read_small_file(const std::string& file);

// For whichever directory the process is in later. Of nothing: nothing.
std::string whole_path(const std::string& file);

}  // namespace holdfast::settings
