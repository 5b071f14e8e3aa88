// run_environment.h -- what `holdfast run` tells its command about the service, and a `holdfast` in it takes up.
//
// Service and name space count together, and only if nothing else names a service. So a script that goes to a directory with a configuration file
// of its own uses that, and one without any settings uses ours.
#pragma once

namespace holdfast::cli {

inline constexpr auto kRunUrl = "HOLDFAST_RUN_URL";
inline constexpr auto kRunNamespace = "HOLDFAST_RUN_NAMESPACE";

}  // namespace holdfast::cli
