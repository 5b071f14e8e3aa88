// normalise.h -- takes out of a client's transcript what may differ between two servers that behave alike.
//
//   zxids         become ranks: which came before which stays, how many lie between does not
//   session ids   become numbers, in the order in which they are first named; what else stands in ephemeralOwner
//                 (nothing, a container, a time to live) stays as it is
//   times         become TIME, unless they are the beginning of time, which is what the root has
//   the address   becomes SERVER
//   durations     become T
//   watch events  of zkCli.sh, which a thread of its own prints between anything, follow at the end, in their order
//   lists         of children, ephemerals or identities are sorted, in brackets or line by line: ZooKeeper promises no
//                 order
//   empty lines   go
//
// Everything else, every word, must be the same.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::testing {

// `address` is the server's, "127.0.0.1:port".
std::string normalise(std::string_view transcript, std::string_view address);

}  // namespace holdfast::testing
