// The requests of a Client as bytes, and what is in their answers.
#include <utility>

#include "zk/client.h"

namespace holdfast::zk {
namespace {

void nothing(wire::Reader&, Answer&) {}

void stat_only(wire::Reader& body, Answer& answer) { answer.stat = decode_stat(body); }

void text_only(wire::Reader& body, Answer& answer) { answer.text = body.text(); }

void text_and_stat(wire::Reader& body, Answer& answer) {
  answer.text = body.buffer().value_or("");
  answer.stat = decode_stat(body);
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
      // Those before it are told as done, those behind it as inconsistent.
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

void Client::create(const std::string& path, const std::string& data, wire::CreateMode mode, Done done) {
  const auto op = mode == wire::CreateMode::container ? wire::Op::create_container : wire::Op::create2;
  wire::Writer body;
  body.text(path);
  body.text(data);
  encode(body, acl());
  body.i32(static_cast<std::int32_t>(mode));
  ask(op, body, {.parse = text_and_stat, .done = std::move(done)});
}

void Client::remove(const std::string& path, Done done) {
  wire::Writer body;
  body.text(path);
  body.i32(-1);
  ask(wire::Op::remove, body, {.parse = nothing, .done = std::move(done)});
}

void Client::set(const std::string& path, const std::string& data, Done done) {
  wire::Writer body;
  body.text(path);
  body.text(data);
  body.i32(-1);
  ask(wire::Op::set_data, body, {.parse = stat_only, .done = std::move(done)});
}

// With the flag that asks for a watch.
void Client::look(wire::Op op, const std::string& path, Call call) {
  wire::Writer body;
  body.text(path);
  body.boolean(call.watch != 0);
  call.path = path;
  ask(op, body, std::move(call));
}

void Client::exists(const std::string& path, Done done) {
  look(wire::Op::exists, path, {.parse = stat_only, .done = std::move(done)});
}

void Client::get(const std::string& path, Done done) {
  look(wire::Op::get_data, path, {.parse = text_and_stat, .done = std::move(done)});
}

void Client::get_and_watch(const std::string& path, WatchId watch, Done done) {
  look(wire::Op::get_data, path, {.parse = text_and_stat, .done = std::move(done), .watch = watch});
}

void Client::get_children(const std::string& path, Done done) {
  look(wire::Op::get_children, path, {.parse = children_only, .done = std::move(done)});
}

void Client::get_children_and_stat(const std::string& path, Done done) {
  look(wire::Op::get_children2, path, {.parse = children_and_stat, .done = std::move(done)});
}

void Client::get_children_and_watch(const std::string& path, WatchId watch, Done done) {
  look(wire::Op::get_children, path,
       {.parse = children_only, .done = std::move(done), .watch = watch, .of_children = true});
}

void Client::remove_watch(const std::string& path, bool of_children, Done done) {
  (of_children ? child_watches_ : data_watches_).erase(path);
  wire::Writer body;
  body.text(path);
  body.i32(static_cast<std::int32_t>(of_children ? wire::WatchKind::children : wire::WatchKind::data));
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

void Client::sync(const std::string& path, Done done) {
  wire::Writer body;
  body.text(path);
  ask(wire::Op::sync, body, {.parse = text_only, .done = std::move(done)});
}

}  // namespace holdfast::zk
