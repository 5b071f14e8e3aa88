// request_parts.h -- pieces that single requests and multis share.
#pragma once

#include "dice.h"
#include "jute.h"
#include "script.h"
#include "support/zk_op.h"
#include "vocabulary.h"

namespace holdfast::testing {

// text: the arguments, in words.
Call call(Op op, const JuteWriter& payload, const std::string& text);

void write_acl(JuteWriter& out, const Acl& acl);
std::string show_acl(const Acl& acl);

// any: also flags that contradict the opcode or are none.
enum class CreateKind { any, consistent };

// create, create2, createContainer or createTTL.
Call create(Dice& dice, CreateKind kind);

}  // namespace holdfast::testing
