// standard_streams.h -- the streams belong to the command; we only have stderr, to say a sentence.
#pragma once

#include <initializer_list>
#include <string_view>

namespace holdfast::cli {

// stdin and stdout become /dev/null, and whatever else we were started with is closed, but `keep`. Otherwise a process that reads what the
// command writes would not see its end before ours.
void let_go_of_streams(int keep, std::initializer_list<int> keep_too = {});

// Streams that we were started without get /dev/null, so that no descriptor of ours takes their number. The command is started without
// them all the same. Before any other descriptor is made.
void occupy_closed_streams();

// "holdfast: <sentence>\n" on stderr, made printable, in one write, so that lines of several processes do not mix. Never waits: a reader that does not read
// what we say must not keep us from ending what has to end. Then it is lost.
void say(std::string_view sentence);
void write_to_stderr(std::string_view bytes);

}  // namespace holdfast::cli
