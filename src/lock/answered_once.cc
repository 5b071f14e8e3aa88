#include "lock/answered_once.h"

namespace holdfast::lock {
namespace {

// Shared by the copies that a store makes of it. Dropped with the first answer, and with it what it owns.
template <class T>
spi::Callback<T> once(spi::Callback<T> done) {
  return [kept = std::make_shared<spi::Callback<T>>(std::move(done))](spi::Reply<T> reply) {
    if (const auto first = std::exchange(*kept, nullptr)) first(std::move(reply));
  };
}

}  // namespace

void AnsweredOnce::enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) {
  store_->enqueue(requests, once(std::move(done)));
}

void AnsweredOnce::find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) {
  store_->find(queue, uid, once(std::move(done)));
}

void AnsweredOnce::list(const std::string& queue, spi::Callback<spi::Listing> done) {
  store_->list(queue, once(std::move(done)));
}

void AnsweredOnce::dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  store_->dequeue(queue, ticket, once(std::move(done)));
}

void AnsweredOnce::read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) {
  store_->read(queue, ticket, once(std::move(done)));
}

AnsweredOnce::ListenerId AnsweredOnce::listen(const std::string& queue, const std::string& ticket,
                                              spi::Callback<spi::TicketText> armed, spi::TicketListener told) {
  return store_->listen(queue, ticket, once(std::move(armed)), std::move(told));
}

AnsweredOnce::ListenerId AnsweredOnce::listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                                                       spi::TicketListener told) {
  return store_->listen_to_queue(queue, once(std::move(armed)), std::move(told));
}

void AnsweredOnce::beat(spi::Callback<spi::Nothing> done) { store_->beat(once(std::move(done))); }

void AnsweredOnce::check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  store_->check(queue, ticket, once(std::move(done)));
}

void AnsweredOnce::write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
                         spi::Callback<spi::Nothing> done) {
  store_->write(queue, ticket, text, once(std::move(done)));
}

void AnsweredOnce::leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  store_->leave_mark(queue, ticket, once(std::move(done)));
}

void AnsweredOnce::abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) {
  store_->abandoned_marks(queue, once(std::move(done)));
}

void AnsweredOnce::make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) {
  store_->make_count(name, initial, once(std::move(done)));
}

void AnsweredOnce::read_count(const std::string& name, spi::Callback<std::int32_t> done) {
  store_->read_count(name, once(std::move(done)));
}

void AnsweredOnce::set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) {
  store_->set_count(name, count, once(std::move(done)));
}

AnsweredOnce::ListenerId AnsweredOnce::listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                                                       spi::CountListener told) {
  return store_->listen_to_count(name, once(std::move(armed)), std::move(told));
}

void AnsweredOnce::examine(const std::string& queue, spi::Callback<spi::Examination> done) {
  store_->examine(queue, once(std::move(done)));
}

void AnsweredOnce::commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
                          spi::Callback<spi::Nothing> done) {
  store_->commit(guards, changes, once(std::move(done)));
}

}  // namespace holdfast::lock
