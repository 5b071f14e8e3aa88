#include "server/authentication.h"

#include "base/assert.h"
#include "server/logins.h"
#include "wire/protocol.h"

namespace holdfast::server {

void Authentication::begin() {
  if (!connection_->origin.source) return;
  HOLDFAST_ASSERT(!under_way_, connection_->id);
  ++connection_->origin.source->logins_under_way;
  under_way_ = true;
}

void Authentication::tried() {
  if (!std::exchange(under_way_, false)) return;
  HOLDFAST_ASSERT(connection_->origin.source->logins_under_way > 0, connection_->id);
  --connection_->origin.source->logins_under_way;
}

engine::Outcome Authentication::execute(engine::Engine&, const Turn& turn) {
  tried();
  proven_ = context_.logins.authenticate(*connection_, scheme_, credentials_);
  return {.zxid = turn.zxid};
}

void Authentication::settle(engine::Engine&, engine::Outcome&) {
  served();
  connection_->send(wire::reply_frame(xid_, 0, proven_ ? wire::Code::ok : wire::Code::auth_failed));
  if (!proven_) context_.connections.drop(*connection_);
}

}  // namespace holdfast::server
