#include "request_parts.h"

#include <fmt/format.h>

namespace holdfast::testing {
namespace {

constexpr std::int32_t kContainer = 4;
constexpr std::int32_t kTtl = 5;
constexpr std::int32_t kSequentialTtl = 6;

std::int32_t flags_for(Op op, Dice& dice, CreateKind kind) {
  static const std::vector<std::int32_t> odd{0, 1, 2, 3, 4, 5, 6, 7, -1, 99};
  if (kind == CreateKind::any && dice.one_in(12)) return dice.of(odd);
  if (op == Op::create_container) return kContainer;
  if (op == Op::create_ttl) return dice.one_in(3) ? kSequentialTtl : kTtl;
  return static_cast<std::int32_t>(dice.roll(4));
}

std::int64_t ttl_for(std::int32_t flags, Dice& dice) {
  static const std::vector<std::int64_t> odd{0,         -1,       1, (std::int64_t{1} << 40) - 1, std::int64_t{1} << 40,
                                             INT64_MAX, INT64_MIN};
  // Other flags with a ttl below 0 end ZooKeeper: see docs/protocol.md.
  if (flags != kTtl && flags != kSequentialTtl) return static_cast<std::int64_t>(dice.roll(3));
  return dice.one_in(5) ? dice.of(odd) : 3'600'000;
}

}  // namespace

Call call(Op op, const JuteWriter& payload, const std::string& text) {
  return {static_cast<std::int32_t>(op), payload.bytes(), fmt::format("{}({})", to_string(op), text)};
}

void write_acl(JuteWriter& out, const Acl& acl) {
  out.i32(acl ? static_cast<std::int32_t>(acl->size()) : -1);
  if (!acl) return;
  for (const AclEntry& entry : *acl) out.i32(entry.perms).text(entry.scheme).text(entry.id);
}

std::string show_acl(const Acl& acl) {
  if (!acl) return "null acl";
  std::string text = "[";
  for (const AclEntry& entry : *acl) text += (text.size() > 1 ? " " : "") + show(entry);
  return text + "]";
}

Call create(Dice& dice, CreateKind kind) {
  static const std::vector<Op> ops{Op::create,  Op::create,           Op::create,    Op::create2,
                                   Op::create2, Op::create_container, Op::create_ttl};
  const Op op = dice.of(ops);
  const std::string path = new_path(dice);
  const Text data = any_data(dice);
  const Acl acl = any_acl(dice);
  const std::int32_t flags = flags_for(op, dice, kind);
  JuteWriter out;
  out.text(path).text(data);
  write_acl(out, acl);
  out.i32(flags);
  std::string text = fmt::format("{}, {}, {}, flags {}", show(path), show(data), show_acl(acl), flags);
  if (op == Op::create_ttl) {
    const std::int64_t ttl = ttl_for(flags, dice);
    out.i64(ttl);
    text += fmt::format(", ttl {}", ttl);
  }
  return call(op, out, text);
}

}  // namespace holdfast::testing
