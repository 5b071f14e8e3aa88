// standard_streams.h -- the streams belong to the command; we only have stderr, to say a sentence.
#pragma once

#include <initializer_list>
#include <string_view>

namespace holdfast::cli {

// stdin and stdout become /dev/null, and whatever else we were started with is closed, but `keep`. Otherwise whoever reads what the
// command writes would not see its end before ours.
void let_go_of_streams(int keep, std::initializer_list<int> keep_too = {});

// "holdfast: <sentence>\n" on stderr, in one write, so that lines of several processes do not mix.
void say(std::string_view sentence);

}  // namespace holdfast::cli
