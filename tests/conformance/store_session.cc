#include "store_session.h"

#include <algorithm>

namespace holdfast::testing {

StoreSession::StoreSession(World& world, ClientOptions options) {
  host_ = Client::connect(
      [&](spi::Executor& executor) {
        executor_ = &executor;
        return world.backend(executor, options);
      },
      options);
  backend_ = world.backend(*executor_, options);
  inside([&] { backend_->open(*this); });
  std::unique_lock lock(mutex_);
  const bool settled = changed_.wait_for(lock, kSoon, [&] { return session_.id != 0 || !refused_.empty(); });
  EXPECT_TRUE(settled) << "there is no session: " << backend_->trouble();
  EXPECT_EQ(refused_, "");
}

StoreSession::~StoreSession() {
  close();
  host_->close();  // from here on the Executor runs nothing
  backend_.reset();
}

void StoreSession::inside(const std::function<void()>& f) {
  std::promise<void> done;
  executor_->post([&] {
    f();
    done.set_value();
  });
  done.get_future().wait();
}

void StoreSession::close() {
  if (std::exchange(closed_, true)) return;
  std::function<void()> outside;
  inside([&] { outside = backend_->close(); });
  if (outside) outside();
  inside([] {});  // what was posted while it closed has run
}

spi::Session StoreSession::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

std::vector<spi::SessionId> StoreSession::expired_sessions() const {
  const std::lock_guard lock(mutex_);
  return expired_;
}

void StoreSession::connected(const spi::Session& session) {
  const std::lock_guard lock(mutex_);
  session_ = session;
  changed_.notify_all();
}

void StoreSession::expired(spi::SessionId session) {
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(session, session_.id) << "another session than ours has ended";
  expired_.push_back(session);
  session_ = {};
}

void StoreSession::acknowledged(spi::SessionId session, Clock::time_point sent, bool) {
  const std::lock_guard lock(mutex_);
  EXPECT_LE(sent, executor_->now());
  if (session == session_.id) acknowledged_ = std::max(acknowledged_, sent);
}

void StoreSession::refused(const std::string& why) {
  const std::lock_guard lock(mutex_);
  refused_ = why;
  changed_.notify_all();
}

// ------------------------------------------------------------------------------------------------------------ requests

spi::Reply<std::vector<spi::Enqueued>> StoreSession::enqueue(std::vector<spi::Request> requests) {
  return ask<std::vector<spi::Enqueued>>([&](auto& store, auto done) { store.enqueue(requests, std::move(done)); });
}

spi::Enqueued StoreSession::enqueue(const std::string& queue, const std::string& uid, spi::Mode mode,
                                    const std::string& card) {
  auto reply = enqueue({{.queue = queue, .uid = uid, .mode = mode, .card = card}});
  EXPECT_TRUE(reply) << reply.detail;
  EXPECT_EQ(reply.value.size(), 1U);
  return reply.value.empty() ? spi::Enqueued{} : std::move(reply.value.front());
}

spi::Reply<spi::Enqueued> StoreSession::find(const std::string& queue, const std::string& uid) {
  return ask<spi::Enqueued>([&](auto& store, auto done) { store.find(queue, uid, std::move(done)); });
}

spi::Listing StoreSession::list(const std::string& queue) {
  auto reply = ask<spi::Listing>([&](auto& store, auto done) { store.list(queue, std::move(done)); });
  EXPECT_TRUE(reply) << reply.detail;
  return std::move(reply.value);
}

spi::Reply<spi::Nothing> StoreSession::dequeue(const std::string& queue, const std::string& ticket) {
  return ask<spi::Nothing>([&](auto& store, auto done) { store.dequeue(queue, ticket, std::move(done)); });
}

spi::Reply<spi::TicketText> StoreSession::read(const std::string& queue, const std::string& ticket) {
  return ask<spi::TicketText>([&](auto& store, auto done) { store.read(queue, ticket, std::move(done)); });
}

spi::Reply<spi::Nothing> StoreSession::write(const std::string& queue, const std::string& ticket,
                                             const spi::TicketText& text) {
  return ask<spi::Nothing>([&](auto& store, auto done) { store.write(queue, ticket, text, std::move(done)); });
}

spi::Reply<spi::Nothing> StoreSession::leave_mark(const std::string& queue, const std::string& ticket) {
  return ask<spi::Nothing>([&](auto& store, auto done) { store.leave_mark(queue, ticket, std::move(done)); });
}

std::vector<std::string> StoreSession::abandoned_marks(const std::string& queue) {
  auto reply =
      ask<std::vector<std::string>>([&](auto& store, auto done) { store.abandoned_marks(queue, std::move(done)); });
  EXPECT_TRUE(reply) << reply.detail;
  return std::move(reply.value);
}

spi::Examination StoreSession::examine(const std::string& queue) {
  auto reply = ask<spi::Examination>([&](auto& store, auto done) { store.examine(queue, std::move(done)); });
  EXPECT_TRUE(reply) << reply.detail;
  return std::move(reply.value);
}

spi::Reply<spi::Nothing> StoreSession::commit(const std::vector<spi::TicketName>& guards,
                                              const std::vector<spi::Change>& changes) {
  return ask<spi::Nothing>([&](auto& store, auto done) { store.commit(guards, changes, std::move(done)); });
}

}  // namespace holdfast::testing
