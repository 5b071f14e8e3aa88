// command_parts.h -- the commands themselves, by what they do, for the table in commands.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/shell/commands.h"

namespace holdfast::cli::shell {

// What several of them read.
Outcome<std::string> path_of(const Arguments& arguments, std::size_t i = 0);
Outcome<std::int32_t> version_of(const Arguments& arguments);
// All nodes from `path` downwards, each before its children, those sorted. Ones that go meanwhile are left out.
Outcome<std::vector<std::string>> tree_below(Nodes& nodes, const std::string& path);

// read_commands.cc
Outcome<void> run_ls(Context& context, const Arguments& arguments);
Outcome<void> run_get(Context& context, const Arguments& arguments);
Outcome<void> run_stat(Context& context, const Arguments& arguments);
Outcome<void> run_get_acl(Context& context, const Arguments& arguments);
Outcome<void> run_get_ephemerals(Context& context, const Arguments& arguments);
Outcome<void> run_get_all_children_number(Context& context, const Arguments& arguments);

// write_commands.cc
Outcome<void> run_create(Context& context, const Arguments& arguments);
Outcome<void> run_set(Context& context, const Arguments& arguments);
Outcome<void> run_delete(Context& context, const Arguments& arguments);
Outcome<void> run_deleteall(Context& context, const Arguments& arguments);
Outcome<void> run_set_acl(Context& context, const Arguments& arguments);

// session_commands.cc
Outcome<void> run_addauth(Context& context, const Arguments& arguments);
Outcome<void> run_whoami(Context& context, const Arguments& arguments);
Outcome<void> run_add_watch(Context& context, const Arguments& arguments);
Outcome<void> run_remove_watches(Context& context, const Arguments& arguments);
Outcome<void> run_sync(Context& context, const Arguments& arguments);
Outcome<void> run_connect(Context& context, const Arguments& arguments);
Outcome<void> run_close(Context& context, const Arguments& arguments);
Outcome<void> run_history(Context& context, const Arguments& arguments);
Outcome<void> run_redo(Context& context, const Arguments& arguments);
Outcome<void> run_quit(Context& context, const Arguments& arguments);
Outcome<void> run_help(Context& context, const Arguments& arguments);

}  // namespace holdfast::cli::shell
