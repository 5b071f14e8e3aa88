// What the server says: the second half of session.h.
#include <fmt/format.h>

#include <algorithm>

#include "cli/shell/session.h"
#include "cli/shell/show.h"

namespace holdfast::cli::shell {

void Session::on_frame(const std::string& frame) {
  wire::Reader reader(frame);
  if (phase_ == Phase::connecting) return on_welcome(reader);
  const auto xid = reader.i32();
  const auto zxid = reader.i64();
  const auto code = static_cast<wire::Code>(reader.i32());
  if (!reader.ok()) return end_connection("what came is not ZooKeeper's protocol");
  if (xid == wire::kSetWatchesXid && unset_ > 0) --unset_;
  // What the watches have to tell up to here is known. Events carry no zxid, and answers to pings overtake others.
  if ((xid >= 0 || xid == wire::kSetWatchesXid) && unset_ == 0) last_zxid_ = std::max(last_zxid_, zxid);
  if (xid == wire::kNotificationXid) return on_event(reader);
  on_reply(xid, code, std::string_view(frame).substr(frame.size() - reader.left()));
}

void Session::on_welcome(wire::Reader& reader) {
  wire::ConnectResponse welcome;
  if (!wire::decode(reader, welcome)) return end_connection("what came is not ZooKeeper's protocol");
  if (welcome.timeout <= 0) {
    if (session_ == 0) return end_connection("the server gave no session");
    session_ = 0;
    password_.assign(16, '\0');
    watches_.clear();
    expired_ = true;
    // The server is there, so nothing speaks against asking it again.
    socket_.reset();
    phase_ = Phase::resting;
    rest_ends_ = now();
    return;
  }
  timeout_ = std::chrono::milliseconds(welcome.timeout);
  session_ = welcome.session;
  password_ = welcome.password;
  phase_ = Phase::proving;
  unproven_ = options_.auth.size();
  for (const auto& auth : options_.auth) send_auth(auth);
  if (unproven_ == 0) become_ready();
}

void Session::become_ready() {
  phase_ = Phase::ready;
  last_sent_ = last_heard_ = now();
  failures_ = 0;
  unset_ = 0;
  for (const auto& request : watches_.requests(last_zxid_)) {
    send(wire::kSetWatchesXid, request.op, request.body);
    ++unset_;
  }
  if (expired_) {
    news_.connection(fmt::format(
        "The session has expired: its ephemeral nodes and watches are gone. Connected to {} in a new one, {:#x}",
        server(), static_cast<std::uint64_t>(session_)));
  } else if (was_ready_) {
    news_.connection(fmt::format("Connected again to {} in the same session", server()));
  }
  was_ready_ = true;
  expired_ = false;
}

void Session::on_reply(std::int32_t xid, wire::Code code, std::string_view body) {
  if (phase_ == Phase::proving) {
    if (xid != wire::kAuthXid) return;
    if (code != wire::Code::ok) return refuse("the server refused our credentials; see --auth");
    if (--unproven_ == 0) become_ready();
    return;
  }
  if (!pending_ || pending_->answer || pending_->xid != xid) return;
  const auto* question = pending_->question;
  if (question && question->watch) {
    const bool missing = code == wire::Code::no_node && question->op == wire::Op::exists;
    if (code == wire::Code::ok) watches_.add(*question->watch, question->path);
    if (missing) watches_.add(Watch::exist, question->path);
  }
  if (code != wire::Code::ok) {
    pending_->answer = tl::unexpected(Failure{
        .kind = Failure::Kind::refused, .code = code, .detail = code == wire::Code::system_error ? explanation() : ""});
    // The server ends the connection after these; what is sent on it meanwhile is lost.
    if (code == wire::Code::auth_failed) end_connection("it refused an identity");
    if (code == wire::Code::session_closed_require_auth) end_connection("it wants credentials");
    return;
  }
  pending_->answer = std::string(body);
}

void Session::on_event(wire::Reader& reader) {
  const auto type = static_cast<wire::EventType>(reader.i32());
  (void)reader.i32();  // the state; always the same
  const auto path = reader.text();
  if (!reader.ok()) return end_connection("what came is not ZooKeeper's protocol");
  watches_.fired(type, path);
  std::string_view shown = path;
  if (shown.starts_with(options_.chroot)) shown.remove_prefix(options_.chroot.size());
  if (shown.empty()) shown = "/";
  if (news_.node) news_.node(type, std::string(shown));
  news_.event(show_event(type, shown));
}

}  // namespace holdfast::cli::shell
