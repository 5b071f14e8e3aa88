// population.h -- a large tree, and requests that find their way through it.
//
//   /many/<i / 1000>/<i % 1000>      16 bytes of data each
#pragma once

#include <zookeeper/zookeeper.h>

#include <cstddef>
#include <functional>
#include <string>

namespace holdfast::bench {

std::string node_path(std::size_t number);

// The nodes from number `from` up to `to`, many with one request; makes the directories.
void populate(zhandle_t* handle, std::size_t from, std::size_t to);

// What one session asks for, many at a time, so that it is the server's work that takes the time and not the way there.
// `number_of(i)` is the node that request i is about. All return after the last answer; throw if one is an error.
using NumberOf = std::function<std::size_t(std::size_t request)>;
void set_many(zhandle_t* handle, std::size_t count, const NumberOf& number_of);
// With a watch that stays until its node changes, or without.
void get_many(zhandle_t* handle, std::size_t count, bool watch, const NumberOf& number_of);
// A new node and its end, beside the node: two requests each.
void create_and_remove_many(zhandle_t* handle, std::size_t count, const NumberOf& number_of);

}  // namespace holdfast::bench
