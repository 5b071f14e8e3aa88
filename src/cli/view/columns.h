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

// A row of a terminal that is drawn over itself again and again. It is cut to leave one column free, since a full row makes some terminals
// wrap, and the cursor waits in its first column.
std::string live_row(std::string_view text, std::size_t terminal_width);
// Leaves nothing of it. All from its first column on: what was one row may be several by now, if the window has become narrower. That works
// because the cursor waits in the first column, which stays where it is when rows are broken anew.
inline constexpr std::string_view kEraseLiveRow = "\r\x1b[J";

}  // namespace holdfast::cli
