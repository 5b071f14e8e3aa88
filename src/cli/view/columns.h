// columns.h -- how wide text is on a terminal, and how it is cut to fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::cli {

// In columns: East Asian characters and pictures take two, combining ones and colours (colour.h) none. What is not UTF-8 counts byte by
// byte.
std::size_t width_of(std::string_view text);

// The beginning of it, at most that wide, with an ellipsis at its end if something was cut. Colours end with it.
std::string fit(std::string_view text, std::size_t width);

}  // namespace holdfast::cli
