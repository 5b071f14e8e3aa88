#include "backend/redis/cell_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/uuid.h"

namespace holdfast::redis {
namespace {

constexpr std::string_view kName = "%s";

std::string text_at(const resp::Value& value, std::size_t at) {
  return at < value.items.size() ? value.items[at].text : std::string();
}

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

// uuid1().hex: the time, and where its version and variant are.
bool is_from_redis_py(std::string_view text) {
  return text.size() == 32 && is_hex(text) && text[12] == '1' && std::string_view("89ab").find(text[16]) < 4;
}

void read_text(const std::string& text, Stored& stored) {
  const bool ours = base::begins_with_our_uuid(text) && text.size() > kUuidLength && text[kUuidLength] == ' ';
  stored.id = ours ? text.substr(0, kUuidLength) : text;
  stored.card = ours ? text.substr(kUuidLength + 1) : text;
  stored.recipe = ours ? "Holdfast" : is_from_redis_py(text) ? "redis-py" : "SET NX";
}

// RLock: owner, count. A read/write lock has `mode` besides.
void read_fields(const resp::Value& busy, Stored& stored) {
  stored.recipe = "Redisson";
  std::string count;
  for (std::size_t at = 3; at + 1 < busy.items.size(); at += 2) {
    if (text_at(busy, at) == "mode") {
      stored.recipe = "Redisson, read/write";
    } else if (stored.id.empty()) {
      stored.id = text_at(busy, at);
      count = text_at(busy, at + 1);
    }
  }
  int entries = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), entries);
  stored.is_lock =
      error == std::errc() && end == count.data() + count.size() && stored.id.find(':') != std::string::npos;
  stored.card = stored.id;
}

}  // namespace

std::string CellLayout::key_of(std::string_view queue) const {
  auto text = key;
  return text.replace(text.find(kName), kName.size(), queue);
}

// Redisson puts the name into {}, so that both are in one slot of a cluster, unless it has them already.
std::string CellLayout::channel_of(const std::string& of_key) const {
  if (kind != CellKind::redisson) return {};
  const bool has_tag = of_key.find('{') != std::string::npos;
  return fmt::format("redisson_lock__channel:{}{}{}", has_tag ? "" : "{", of_key, has_tag ? "" : "}");
}

Stored stored_of(const resp::Value& busy) {
  Stored stored{.type = text_at(busy, 1)};
  stored.left = std::chrono::milliseconds(busy.items.size() > 2 ? busy.items[2].integer : 0);
  if (stored.type == "string") {
    stored.is_lock = true;
    read_text(text_at(busy, 3), stored);
  } else if (stored.type == "hash") {
    read_fields(busy, stored);
  } else if (stored.type == "zset") {
    stored.is_lock = true;
    stored.recipe = "Symfony";
    stored.id = text_at(busy, 3) == "__write__" ? text_at(busy, 4) : text_at(busy, 3);
    stored.card = stored.id;
  }
  return stored;
}

bool can_wait_for(CellKind kind, const Stored& stored) {
  return stored.is_lock && (kind == CellKind::text || stored.type == "hash");
}

}  // namespace holdfast::redis
