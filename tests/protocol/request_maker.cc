#include "request_maker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "multi_maker.h"
#include "request_parts.h"
#include "support/zk_op.h"
#include "vocabulary.h"

namespace holdfast::testing {
namespace {

Call path_only(Op op, Dice& dice) {
  const std::string path = any_path(dice);
  return call(op, JuteWriter().text(path), show(path));
}

Call path_and_watch(Op op, Dice& dice) {
  const std::string path = any_path(dice);
  const bool watch = dice.percent(40);
  return call(op, JuteWriter().text(path).boolean(watch), show(path) + (watch ? ", watch" : ""));
}

Call path_and_version(Op op, Dice& dice) {
  const std::string path = any_path(dice);
  const std::int32_t version = any_version(dice);
  return call(op, JuteWriter().text(path).i32(version), fmt::format("{}, version {}", show(path), version));
}

Call set_data(Dice& dice) {
  const std::string path = any_path(dice);
  const Text data = any_data(dice);
  const std::int32_t version = any_version(dice);
  return call(Op::set_data, JuteWriter().text(path).text(data).i32(version),
              fmt::format("{}, {}, version {}", show(path), show(data), version));
}

Call set_acl(Dice& dice) {
  // Not those above the root: every later script would suffer.
  const std::string path = dice.percent(90) ? good_path(dice) : new_path(dice);
  const Acl acl = path.find(kRoot) != std::string::npos ? any_acl(dice) : open_acl();
  const std::int32_t version = any_version(dice);
  JuteWriter out;
  out.text(path);
  write_acl(out, acl);
  return call(Op::set_acl, out.i32(version), fmt::format("{}, {}, version {}", show(path), show_acl(acl), version));
}

// Not null: the watches before it would stand, and a persistent one poisons ZooKeeper's tables.
std::vector<std::string> watched_paths(Dice& dice) {
  std::vector<std::string> paths;
  for (std::size_t count = dice.roll(3); count > 0; --count) paths.push_back(any_path(dice));
  return paths;
}

Call set_watches(Op op, Dice& dice) {
  static const std::vector<std::int64_t> zxids{0, -1, INT64_MAX};
  Call made{static_cast<std::int32_t>(op)};
  JuteWriter out;
  const bool newest = dice.percent(70);
  const std::int64_t zxid = newest ? 0 : dice.of(zxids);
  if (newest) made.newest_zxid_at = 0;
  out.i64(zxid);
  std::string text = newest ? "newest zxid" : fmt::format("zxid {}", zxid);
  const int lists = op == Op::set_watches ? 3 : 5;
  for (int list = 0; list < lists; ++list) {
    const std::vector<std::string> paths = watched_paths(dice);
    out.i32(static_cast<std::int32_t>(paths.size()));
    text += ", [";
    for (const std::string& path : paths) {
      out.text(path);
      text += show(path) + " ";
    }
    text += "]";
  }
  made.payload = out.bytes();
  made.text = fmt::format("{}({})", to_string(op), text);
  if (dice.percent(80)) made.xid = -8;
  return made;
}

Call add_watch(Dice& dice) {
  static const std::vector<std::int32_t> odd{-1, 2, 3, 99};
  const std::string path = any_path(dice);
  const std::int32_t mode = dice.one_in(12) ? dice.of(odd) : static_cast<std::int32_t>(dice.roll(2));
  return call(Op::add_watch, JuteWriter().text(path).i32(mode), fmt::format("{}, mode {}", show(path), mode));
}

Call watches_of(Op op, Dice& dice) {
  static const std::vector<std::int32_t> odd{0, 4, -1};
  // An absolute one: of others ZooKeeper says what its walk to the root runs into.
  std::string path = any_path(dice);
  if (op == Op::check_watches && !path.empty() && path.front() != '/') path = "/";
  const std::int32_t type = dice.one_in(12) ? dice.of(odd) : 1 + static_cast<std::int32_t>(dice.roll(3));
  return call(op, JuteWriter().text(path).i32(type), fmt::format("{}, type {}", show(path), type));
}

Call get_ephemerals(Dice& dice) {
  static const std::vector<Text> odd{std::nullopt, "", " ", "/", " / ", "/b2b", "x"};
  const Text prefix = dice.one_in(2) ? dice.of(odd) : Text(any_path(dice));
  return call(Op::get_ephemerals, JuteWriter().text(prefix), show(prefix));
}

Call authenticate(Dice& dice) {
  static const std::vector<std::pair<Text, Text>> odd{
      {"digest", "nocolon"}, {"digest", ""},      {"digest", "a:b:c"}, {"digest", std::nullopt}, {"ip", "127.0.0.1"},
      {"ip", std::nullopt},  {"world", "anyone"}, {"auth", ""},        {"super", "x"},           {"", ""},
      {std::nullopt, ""},    {"sasl", "x"}};
  const auto [scheme, auth] = dice.percent(70) ? std::pair<Text, Text>("digest", dice.of(users())) : dice.of(odd);
  Call made = call(Op::auth, JuteWriter().i32(dice.one_in(5) ? 7 : 0).text(scheme).text(auth),
                   fmt::format("{}, {}", show(scheme), show(auth)));
  if (dice.percent(80)) made.xid = -4;
  return made;
}

Call sync(Dice& dice) { return path_only(Op::sync, dice); }

Call odd_one(Dice& dice) {
  static const std::vector<std::int32_t> unknown{0, -1, 10, 23, 99, 108, 500, 1'000, INT32_MAX, INT32_MIN};
  switch (dice.roll(7)) {
    case 0: return call(Op::reconfig, JuteWriter().text(std::nullopt).text("2").text(std::nullopt).i64(-1), "");
    case 1: return call(Op::sasl, JuteWriter().text(any_data(dice).value_or("")), "a token");
    case 2: return call(Op::delete_container, JuteWriter().raw(good_path(dice)), "as the server itself would");
    case 3: return call(Op::delete_container, JuteWriter().text(good_path(dice)), "a path");
    case 4: return call(Op::ping, JuteWriter().raw(dice.one_in(2) ? "" : "payload"), "");
    default: {
      const std::int32_t op = dice.of(unknown);
      return {op, std::string(dice.roll(20), 'u'), fmt::format("operation {}", op)};
    }
  }
}

// Reads, writes and watches that ZooKeeper answers in their turn.
Call ordinary(Dice& dice, CreateKind kind) {
  switch (dice.roll(24)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5: return create(dice, kind);
    case 6:
    case 7:
    case 8: return path_and_version(Op::delete_node, dice);
    case 9:
    case 10: return set_data(dice);
    case 11:
    case 12: return path_and_watch(Op::exists, dice);
    case 13:
    case 14: return path_and_watch(Op::get_data, dice);
    case 15: return path_and_watch(Op::get_children, dice);
    case 16: return path_and_watch(Op::get_children2, dice);
    case 17: return path_only(Op::get_acl, dice);
    case 18: return dice.one_in(2) ? path_only(Op::get_all_children_number, dice) : get_ephemerals(dice);
    case 19: return add_watch(dice);
    case 20: return watches_of(dice.one_in(2) ? Op::check_watches : Op::remove_watches, dice);
    case 21: return set_watches(dice.one_in(2) ? Op::set_watches : Op::set_watches2, dice);
    case 22: return dice.one_in(2) ? sync(dice) : call(Op::who_am_i, JuteWriter(), "");
    default: return multi_read(dice);
  }
}

bool is_multi(const Call& made) {
  return made.op == static_cast<std::int32_t>(Op::multi) || made.op == static_cast<std::int32_t>(Op::multi_read);
}

// What a broken client might send instead. Lengths first: they are what decoders trust.
void mutilate(Call& made, Dice& dice) {
  static const std::vector<std::int32_t> lengths{-2, INT32_MIN, INT32_MAX, 1'000'000, 5};
  switch (dice.roll(3)) {
    case 0:
      made.payload.resize(dice.roll(made.payload.size() + 1));
      made.text += fmt::format(" cut to {} bytes", made.payload.size());
      break;
    case 1:
      made.payload += std::string(1 + dice.roll(20), 't');
      made.text += " with bytes behind it";
      break;
    default:
      // In a multi that is an operation, and what follows would be read as another: nulls in it, too.
      if (made.payload.size() < 4 || is_multi(made)) return;
      const std::int32_t length = dice.of(lengths);
      made.payload.replace(0, 4, JuteWriter().i32(length).bytes());
      made.text += fmt::format(" with {} as its first int", length);
  }
  if (made.newest_zxid_at && made.payload.size() < 8) made.newest_zxid_at.reset();
}

}  // namespace

Call any_call(Dice& dice) {
  static const std::vector<std::int32_t> xids{0, 1, -5, -100, INT32_MAX, INT32_MIN};
  Call made = [&] {
    switch (dice.roll(40)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: return multi(dice, CreateKind::any);
      case 5:
      case 6:
      case 7: return set_acl(dice);
      case 8:
      case 9: return authenticate(dice);
      case 10: return odd_one(dice);
      case 11: return path_and_version(Op::check, dice);
      case 12: return dice.one_in(3) ? call(Op::close_session, JuteWriter(), "") : sync(dice);
      default: return ordinary(dice, CreateKind::any);
    }
  }();
  if (dice.one_in(25) && made.op > 0) mutilate(made, dice);
  // Never -1, which marks events, nor -2, which marks pings.
  if (!made.xid && dice.one_in(60)) made.xid = dice.of(xids);
  return made;
}

Call pipelined_call(Dice& dice) {
  return dice.one_in(8) ? multi(dice, CreateKind::consistent) : ordinary(dice, CreateKind::consistent);
}

Call create_root() {
  JuteWriter out;
  const std::string path = "/" + std::string(kRoot);
  out.text(path).text("");
  write_acl(out, open_acl());
  return call(Op::create, out.i32(0), show(path));
}

}  // namespace holdfast::testing
