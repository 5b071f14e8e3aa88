#include "multi_maker.h"

#include <fmt/format.h>

namespace holdfast::testing {
namespace {

struct Parts {
  JuteWriter out;
  std::string text;

  void add(const Call& part) {
    out.i32(part.op).boolean(false).i32(-1).raw(part.payload);
    text += (text.empty() ? "" : "; ") + part.text;
  }
  Call close(Op op) {
    out.i32(-1).boolean(true).i32(-1);
    return call(op, out, text);
  }
};

Call write_part(Dice& dice, CreateKind kind) {
  const auto versioned = [&](Op op) {
    const std::string path = any_path(dice);
    const std::int32_t version = any_version(dice);
    return call(op, JuteWriter().text(path).i32(version), fmt::format("{}, version {}", show(path), version));
  };
  switch (dice.roll(6)) {
    case 0: return versioned(Op::check);
    case 1: return versioned(Op::delete_node);
    case 2: {
      const std::string path = any_path(dice);
      const Text data = any_data(dice);
      return call(Op::set_data, JuteWriter().text(path).text(data).i32(-1), show(path) + ", " + show(data));
    }
    default: return create(dice, kind);
  }
}

Call read_part(Dice& dice) {
  const std::string path = any_path(dice);
  const Op op = dice.one_in(2) ? Op::get_data : Op::get_children;
  const bool watch = dice.one_in(4);
  return call(op, JuteWriter().text(path).boolean(watch), show(path) + (watch ? ", watch" : ""));
}

Call foreign_part(Dice& dice) {
  static const std::vector<std::int32_t> ops{3, 7, 9, 12, 14, 16, 20, 22, 0, -1, 99};
  const std::int32_t op = dice.of(ops);
  return {op, JuteWriter().text(good_path(dice)).i32(0).bytes(), fmt::format("operation {}", op)};
}

}  // namespace

Call multi(Dice& dice, CreateKind kind) {
  Parts parts;
  const bool reads = kind == CreateKind::any && dice.one_in(20);
  for (std::size_t count = dice.roll(5); count > 0; --count)
    parts.add(reads ? read_part(dice) : write_part(dice, kind));
  if (kind == CreateKind::any && dice.one_in(20)) parts.add(dice.one_in(2) ? foreign_part(dice) : read_part(dice));
  return parts.close(Op::multi);
}

Call multi_read(Dice& dice) {
  Parts parts;
  const bool writes = dice.one_in(25);
  for (std::size_t count = dice.roll(4); count > 0; --count)
    parts.add(writes ? write_part(dice, CreateKind::any) : read_part(dice));
  if (dice.one_in(25)) parts.add(dice.one_in(2) ? foreign_part(dice) : write_part(dice, CreateKind::any));
  return parts.close(Op::multi_read);
}

}  // namespace holdfast::testing
