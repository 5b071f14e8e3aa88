// output.h -- what a command leaves on its standard streams, and how it ends when it fails.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// All of it, to stdout, past stdio's buffer. False: the reader has gone (`| head`), which is no failure. Throws
// std::system_error for the rest, such as a full disk.
bool write_out(std::string_view text);
bool write_out(const std::vector<std::string>& lines);

// "holdfast: <sentence>" on stderr, made printable.
void tell(std::string_view sentence);

// What `work` returns; or tells what it threw, and returns the code of exit_code.h for that. SIGPIPE is ignored from here on.
int guarded(const std::function<int()>& work) noexcept;

}  // namespace holdfast::cli
