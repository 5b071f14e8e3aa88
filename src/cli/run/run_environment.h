// run_environment.h -- what `holdfast run` tells its command about the service, and a `holdfast` in it takes up.
//
// Service, name space and login count together, and only if nothing else names a service. So a script that goes to a directory with a configuration file
// of its own uses that, and one without any settings uses ours.
#pragma once

namespace holdfast::cli {

inline constexpr auto kRunUrl = "HOLDFAST_RUN_URL";
inline constexpr auto kRunNamespace = "HOLDFAST_RUN_NAMESPACE";
// The file with user:password; never what is in it. Empty if there is none, so that one of a run further out, on another service, does not count.
inline constexpr auto kRunAuth = "HOLDFAST_RUN_AUTH";

// Ids of the runs that a process belongs to, outermost first, with colons between: by these the guardian finds a process that has left its tree
// (docs/adr/0012).
inline constexpr auto kRunIds = "HOLDFAST_RUN_IDS";

}  // namespace holdfast::cli
