// large_requests.h -- what requests that take a server long are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "requests.h"
#include "session_client.h"

namespace holdfast::testing::asking {

// Of the nodes that create_all() makes.
std::string name_of(int i);
// Nodes of a directory, in as few requests as possible. Throws std::runtime_error if they cannot be created.
void create_all(SessionClient& client, const std::string& directory, int count, std::int32_t flags);
// A list.
std::string texts(int count, const std::function<std::string(int)>& text);
std::string long_acl(int entries, int salt);
Ask by_path(Op op, const std::string& path);
Ask multi_of(int steps, const std::function<Ask(int)>& step);
Ask multi_read_of(int steps, const std::function<Ask(int)>& step);
Ask get_children(const std::string& path);

}  // namespace holdfast::testing::asking
