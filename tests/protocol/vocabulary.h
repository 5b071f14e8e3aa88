// vocabulary.h -- the words that scripts are made of: few good ones, so that requests meet, and many bad ones.
#pragma once

#include <string>
#include <vector>

#include "dice.h"
#include "jute.h"
#include "show.h"

namespace holdfast::testing {

// Below the root; now and then one of ZooKeeper's own, or a bad one.
std::string any_path(Dice& dice);
// One that can be created: without sequence numbers and mostly good.
std::string new_path(Dice& dice);
// Below the root, never bad.
std::string good_path(Dice& dice);

Text any_data(Dice& dice);
std::int32_t any_version(Dice& dice);

// Nothing: a null list.
using Acl = std::optional<std::vector<AclEntry>>;
Acl any_acl(Dice& dice);
Acl open_acl();

// What `auth` of the scheme digest is given; all but the last, the superuser, are also in ACLs.
const std::vector<std::string>& users();

}  // namespace holdfast::testing
