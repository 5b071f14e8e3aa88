// The requests of a Client as bytes, and what is in their answers.
#include <utility>

#include "zk/client.h"

namespace holdfast::zk {
namespace {

void nothing(wire::Reader&, Answer&) {}

void stat_only(wire::Reader& body, Answer& answer) { answer.stat = decode_stat(body); }

void text_only(wire::Reader& body, Answer& answer) { answer.text = body.text(); }

void text_and_stat(wire::Reader& body, Answer& answer) {
  const auto text = body.nullable();
  answer.text = text.value_or("");
  answer.null = !text;
  answer.stat = decode_stat(body);
}

void acl_and_stat(wire::Reader& body, Answer& answer) {
  answer.acl = wire::decode_acls(body);
  answer.stat = decode_stat(body);
}

void count_only(wire::Reader& body, Answer& answer) { answer.count = body.i32(); }

void ids_only(wire::Reader& body, Answer& answer) {
  answer.ids.resize(body.count(8));
  for (auto& each : answer.ids) {
    each.scheme = body.text();
    each.id = body.text();
  }
}

wire::Op op_of(wire::CreateMode mode) {
  if (wire::has_ttl(mode)) return wire::Op::create_ttl;
  return mode == wire::CreateMode::container ? wire::Op::create_container : wire::Op::create2;
}

void children_only(wire::Reader& body, Answer& answer) { answer.children = body.texts(); }

void children_and_stat(wire::Reader& body, Answer& answer) {
  answer.children = body.texts();
  answer.stat = decode_stat(body);
}

void results(wire::Reader& body, Answer& answer) {
  for (std::size_t step = 0;; ++step) {
    const auto op = static_cast<wire::Op>(body.i32());
    const bool done = body.boolean();
    const auto code = static_cast<Code>(body.i32());
    if (done || !body.ok()) return;
    if (op == wire::Op::create) answer.created.push_back(body.text());
    if (op == wire::Op::set_data) (void)decode_stat(body);
    if (op == wire::Op::error) {
      (void)body.i32();
      // The server reports the steps before the failed one as done, and those after it as inconsistent.
      if (code != Code::ok && answer.code == Code::ok) {
        answer.code = code;
        answer.failed = step;
      }
    }
  }
}

}  // namespace

wire::AclList Client::acl() const {
  if (options_.acl.empty()) return {{wire::permission::kAll, {"world", "anyone"}}};
  wire::AclList list;
  for (const auto& entry : options_.acl) {
    list.push_back({static_cast<std::int32_t>(entry.permissions), {entry.scheme, entry.id}});
  }
  return list;
}

void Client::create(const NewNode& node, Done done) {
  wire::Writer body;
  body.text(node.path);
  body.buffer(node.data);
  encode(body, node.acl.empty() ? acl() : node.acl);
  body.i32(static_cast<std::int32_t>(node.mode));
  if (wire::has_ttl(node.mode)) body.i64(node.ttl);
  ask(op_of(node.mode), body, {.parse = text_and_stat, .done = std::move(done)});
}

void Client::remove(const std::string& path, Done done, std::int32_t version) {
  wire::Writer body;
  body.text(path);
  body.i32(version);
  ask(wire::Op::remove, body, {.parse = nothing, .done = std::move(done)});
}

void Client::set(const std::string& path, const std::string& data, Done done, std::int32_t version) {
  wire::Writer body;
  body.text(path);
  body.text(data);
  body.i32(version);
  ask(wire::Op::set_data, body, {.parse = stat_only, .done = std::move(done)});
}

// A read with the flag that asks for a watch.
void Client::look(wire::Op op, const std::string& path, Call call) {
  wire::Writer body;
  body.text(path);
  body.boolean(call.watch != kNoWatch);
  call.path = path;
  ask(op, body, std::move(call));
}

void Client::exists(const std::string& path, Done done, WatchId watch) {
  look(wire::Op::exists, path, {.parse = stat_only, .done = std::move(done), .watch = watch, .mode = WatchMode::exist});
}

void Client::get(const std::string& path, Done done, WatchId watch) {
  look(wire::Op::get_data, path, {.parse = text_and_stat, .done = std::move(done), .watch = watch});
}

void Client::get_children(const std::string& path, Done done, WatchId watch) {
  look(wire::Op::get_children, path,
       {.parse = children_only, .done = std::move(done), .watch = watch, .mode = WatchMode::children});
}

void Client::get_children_and_stat(const std::string& path, Done done, WatchId watch) {
  look(wire::Op::get_children2, path,
       {.parse = children_and_stat, .done = std::move(done), .watch = watch, .mode = WatchMode::children});
}

void Client::ask_about(wire::Op op, const std::string& path, Parse parse, Done done) {
  wire::Writer body;
  body.text(path);
  ask(op, body, {.parse = parse, .done = std::move(done)});
}

void Client::count_below(const std::string& path, Done done) {
  ask_about(wire::Op::get_all_children_number, path, count_only, std::move(done));
}

void Client::get_acl(const std::string& path, Done done) {
  ask_about(wire::Op::get_acl, path, acl_and_stat, std::move(done));
}

void Client::get_ephemerals(const std::string& prefix, Done done) {
  ask_about(wire::Op::get_ephemerals, prefix, children_only, std::move(done));
}

void Client::sync(const std::string& path, Done done) { ask_about(wire::Op::sync, path, text_only, std::move(done)); }

void Client::who_am_i(Done done) { ask(wire::Op::who_am_i, {}, {.parse = ids_only, .done = std::move(done)}); }

void Client::set_acl(const std::string& path, const wire::AclList& acl, Done done, std::int32_t version) {
  wire::Writer body;
  body.text(path);
  encode(body, acl);
  body.i32(version);
  ask(wire::Op::set_acl, body, {.parse = stat_only, .done = std::move(done)});
}

void Client::add_watch(const std::string& path, wire::AddWatchMode mode, WatchId watch, Done done) {
  wire::Writer body;
  body.text(path);
  body.i32(static_cast<std::int32_t>(mode));
  // Its answer is a number that says nothing.
  ask(wire::Op::add_watch, body,
      {.parse = nothing,
       .done = std::move(done),
       .path = path,
       .watch = watch,
       .mode = mode == wire::AddWatchMode::persistent ? WatchMode::persistent : WatchMode::recursive});
}

void Client::remove_watches(const std::string& path, wire::WatchKind kind, Done done) {
  if (kind != wire::WatchKind::data) watches(WatchMode::children).erase(path);
  if (kind != wire::WatchKind::children) {
    watches(WatchMode::data).erase(path);
    watches(WatchMode::exist).erase(path);
  }
  if (kind == wire::WatchKind::any) {
    watches(WatchMode::persistent).erase(path);
    watches(WatchMode::recursive).erase(path);
  }
  wire::Writer body;
  body.text(path);
  body.i32(static_cast<std::int32_t>(kind));
  ask(wire::Op::remove_watches, body, {.parse = nothing, .done = std::move(done)});
}

void Client::multi(const std::vector<Step>& steps, Done done) {
  wire::Writer body;
  const auto header = [&](wire::Op op, bool last) {
    body.i32(static_cast<std::int32_t>(op));
    body.boolean(last);
    body.i32(-1);
  };
  for (const auto& step : steps) {
    switch (step.what) {
      case Step::What::create:
        header(wire::Op::create, false);
        body.text(step.path);
        body.text(step.data);
        encode(body, acl());
        body.i32(static_cast<std::int32_t>(step.mode));
        break;
      case Step::What::set:
        header(wire::Op::set_data, false);
        body.text(step.path);
        body.text(step.data);
        body.i32(step.version);
        break;
      case Step::What::remove:
      case Step::What::check:
        header(step.what == Step::What::remove ? wire::Op::remove : wire::Op::check, false);
        body.text(step.path);
        body.i32(step.version);
        break;
    }
  }
  header(wire::Op::error, true);
  ask(wire::Op::multi, body, {.parse = results, .done = std::move(done)});
}

}  // namespace holdfast::zk
