#include "requests.h"

namespace holdfast::testing::asking {

Ask create(const std::string& path, const std::string& data, std::int32_t flags) {
  constexpr std::int32_t kAll = 31;
  JuteWriter out;
  out.text(path).text(data).i32(1).i32(kAll).text("world").text("anyone").i32(flags);
  return {Op::create, out.bytes()};
}

Ask remove(const std::string& path) { return {Op::delete_node, JuteWriter().text(path).i32(-1).bytes()}; }

Ask set_data(const std::string& path, const std::string& data) {
  return {Op::set_data, JuteWriter().text(path).text(data).i32(-1).bytes()};
}

Ask get_data(const std::string& path, bool watch) {
  return {Op::get_data, JuteWriter().text(path).boolean(watch).bytes()};
}

Ask exists(const std::string& path, bool watch) { return {Op::exists, JuteWriter().text(path).boolean(watch).bytes()}; }

Ask get_children2(const std::string& path, bool watch) {
  return {Op::get_children2, JuteWriter().text(path).boolean(watch).bytes()};
}

Ask add_watch(const std::string& path, std::int32_t mode) {
  return {Op::add_watch, JuteWriter().text(path).i32(mode).bytes()};
}

Ask ping() { return {Op::ping, {}}; }
Ask close_session() { return {Op::close_session, {}}; }

Ask multi(const std::vector<Ask>& steps) {
  JuteWriter out;
  for (const auto& step : steps) {
    out.i32(static_cast<std::int32_t>(step.op)).boolean(false).i32(-1).raw(step.payload);
  }
  return {Op::multi, out.i32(-1).boolean(true).i32(-1).bytes()};
}

Node parse_stat(JuteReader& in) {
  Node node;
  node.czxid = in.i64();
  node.mzxid = in.i64();
  (void)in.i64();  // ctime
  (void)in.i64();  // mtime
  node.version = in.i32();
  node.cversion = in.i32();
  (void)in.i32();  // aversion
  node.owner = in.i64();
  (void)in.i32();  // data length
  node.children = in.i32();
  node.pzxid = in.i64();
  return node;
}

Node parse_data(std::string_view body) {
  JuteReader in(body);
  std::string data = in.text().value_or("");
  Node node = parse_stat(in);
  node.data = std::move(data);
  return node;
}

std::string parse_path(std::string_view body) { return JuteReader(body).text().value_or(""); }

Children parse_children2(std::string_view body) {
  JuteReader in(body);
  Children all;
  for (std::int32_t left = in.i32(); left > 0 && in.ok(); --left) all.names.push_back(in.text().value_or(""));
  all.parent = parse_stat(in);
  return all;
}

std::int32_t parse_multi_error(std::string_view body) {
  JuteReader in(body);
  while (in.ok()) {
    const std::int32_t type = in.i32();
    const bool done = in.boolean();
    (void)in.i32();
    if (done) return 0;
    if (type == static_cast<std::int32_t>(Op::create)) {
      (void)in.text();
    } else if (type == static_cast<std::int32_t>(Op::set_data)) {
      (void)parse_stat(in);
    } else if (type == static_cast<std::int32_t>(Op::error)) {
      if (const std::int32_t err = in.i32(); err != 0) return err;
    }
  }
  return -5;  // no multi at all
}

}  // namespace holdfast::testing::asking
