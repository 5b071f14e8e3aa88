#include "reply_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "show.h"
#include "support/zk_op.h"
#include "transcript.h"

namespace holdfast::testing {
namespace {

constexpr std::int32_t kMarshallingError = -5;

// ctime and mtime: whether they were ever set, and whether a node that was never changed has twice the same.
std::string times(std::int64_t ctime, std::int64_t mtime, bool unchanged) {
  const char* creation = ctime == 0 ? "no ctime" : "ctime";
  if (unchanged) return fmt::format("{}{}", creation, mtime == ctime ? "=mtime" : "≠mtime!");
  return fmt::format("{}{}", creation, mtime == 0 ? ", no mtime" : mtime < ctime ? ">mtime!" : "≤mtime");
}

std::string stat(JuteReader& in) {
  const std::int64_t czxid = in.i64();
  const std::int64_t mzxid = in.i64();
  const std::int64_t ctime = in.i64();
  const std::int64_t mtime = in.i64();
  const std::int32_t version = in.i32();
  const std::int32_t cversion = in.i32();
  const std::int32_t aversion = in.i32();
  const std::int64_t owner = in.i64();
  const std::int32_t length = in.i32();
  const std::int32_t children = in.i32();
  const std::int64_t pzxid = in.i64();
  return fmt::format("stat(c {} m {} p {}, v {} cv {} av {}, owner {}, {} bytes, {} children, {})", zxid_mark(czxid),
                     zxid_mark(mzxid), zxid_mark(pzxid), version, cversion, aversion, session_mark(owner), length,
                     children, times(ctime, mtime, czxid == mzxid));
}

template <typename Read>
std::vector<std::string> list(JuteReader& in, Read read) {
  std::vector<std::string> items;
  const std::int32_t count = in.i32();
  if (count < 0) return {fmt::format("count {}", count)};
  for (std::int32_t item = 0; item < count && in.ok(); ++item) items.push_back(read());
  return items;
}

std::string sorted_texts(JuteReader& in) {
  std::vector<std::string> texts = list(in, [&] { return show(in.text()); });
  std::sort(texts.begin(), texts.end());
  return fmt::format("[{}]", fmt::join(texts, " "));
}

std::string acl(JuteReader& in) {
  std::vector<std::string> entries = list(in, [&] {
    AclEntry entry;
    entry.perms = in.i32();
    entry.scheme = in.text();
    entry.id = in.text();
    return show(entry);
  });
  // What "auth" stood for comes in the order of a hash table: neighbours that only differ in their digest are sorted.
  const auto kind = [](const std::string& entry) { return entry.substr(0, entry.find(":digest:")); };
  for (auto begin = entries.begin(); begin != entries.end();) {
    const auto end = std::find_if(begin, entries.end(), [&](const std::string& entry) {
      return entry.find(":digest:") == std::string::npos || kind(entry) != kind(*begin);
    });
    std::sort(begin, end);
    begin = end == begin ? begin + 1 : end;
  }
  return fmt::format("[{}]", fmt::join(entries, " "));
}

std::string clients(JuteReader& in) {
  std::vector<std::string> infos = list(in, [&] {
    const Text scheme = in.text();
    return fmt::format("{}:{}", show(scheme), show(in.text()));
  });
  std::sort(infos.begin(), infos.end());
  return fmt::format("[{}]", fmt::join(infos, " "));
}

std::string body(Op op, JuteReader& in);

std::string results(JuteReader& in) {
  std::string text;
  for (;;) {
    const auto type = static_cast<Op>(in.i32());
    const bool done = in.boolean();
    const std::int32_t err = in.i32();
    if (!in.ok()) return text + " unfinished!";
    if (done) return fmt::format("results[{}] end {} {}", text, static_cast<std::int32_t>(type), err);
    text += fmt::format("{}{} err {}", text.empty() ? "" : "; ", static_cast<std::int32_t>(type), err);
    if (type == Op::error) {
      text += fmt::format(" {}", in.i32());
    } else {
      text += " " + body(type, in);
    }
  }
}

std::string body(Op op, JuteReader& in) {
  switch (op) {
    case Op::create:
    case Op::sync: return show(in.text());
    case Op::create2:
    case Op::create_container:
    case Op::create_ttl: {
      const std::string path = show(in.text());
      return path + " " + stat(in);
    }
    case Op::exists:
    case Op::set_data:
    case Op::set_acl: return stat(in);
    case Op::get_data: {
      const std::string data = show(in.text());
      return data + " " + stat(in);
    }
    case Op::get_acl: {
      const std::string entries = acl(in);
      return entries + " " + stat(in);
    }
    case Op::get_children:
    case Op::get_ephemerals: return sorted_texts(in);
    case Op::get_children2: {
      const std::string children = sorted_texts(in);
      return children + " " + stat(in);
    }
    case Op::multi:
    case Op::multi_read: return results(in);
    case Op::add_watch:
    case Op::get_all_children_number: return std::to_string(in.i32());
    case Op::who_am_i: return clients(in);
    case Op::sasl: return show(in.text());
    default: return "";
  }
}

std::string leftover(const JuteReader& in) {
  std::string text = in.ok() ? "" : " TOO SHORT";
  if (!in.rest().empty()) text += " and more: " + show(std::string(in.rest()));
  return text;
}

}  // namespace

std::string zxid_mark(std::int64_t zxid) {
  return zxid <= 0 ? std::to_string(zxid) : fmt::format("{}z{}{}", kMarkBegin, zxid, kMarkEnd);
}

std::string session_mark(std::int64_t session) {
  return session == 0 ? "none" : fmt::format("{}s{}{}", kMarkBegin, session, kMarkEnd);
}

std::string reply_text(std::int32_t op, std::string_view frame) {
  JuteReader in(frame);
  const std::int32_t xid = in.i32();
  const std::int64_t zxid = in.i64();
  const std::int32_t err = in.i32();
  std::string text = fmt::format("reply xid {} zxid {} err {}", xid, zxid_mark(zxid), err);
  // Behind this error ZooKeeper sends what it had of the results, if it had begun. No client looks.
  if (err == kMarshallingError &&
      (op == static_cast<std::int32_t>(Op::multi) || op == static_cast<std::int32_t>(Op::multi_read)))
    return text;
  if (!in.rest().empty()) text += " " + body(static_cast<Op>(op), in);
  return text + leftover(in);
}

std::string event_text(std::string_view frame) {
  JuteReader in(frame);
  (void)in.i32();
  const std::int64_t zxid = in.i64();
  const std::int32_t err = in.i32();
  const std::int32_t type = in.i32();
  const std::int32_t state = in.i32();
  const Text path = in.text();
  return fmt::format("event type {} state {} {} zxid {} err {}", type, state, show(path), zxid, err) + leftover(in);
}

}  // namespace holdfast::testing
