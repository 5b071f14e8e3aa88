#include "server/tcp_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>
#include <new>
#include <utility>

#include "base/assert.h"
#include "base/memory_reserve.h"
#include "server/environment.h"
#include "server/socket_end.h"

namespace holdfast::server {
namespace {

// Of an idle connection: a request of a lock client fits.
constexpr std::size_t kLeastBuffer = 512;
// Of one that sends much: more does not save noticeably many system calls.
constexpr std::size_t kMostBuffer = std::size_t{64} << 10;
constexpr std::size_t kBufferGrowth = 4;
// Answers are put together up to this size; a longer one is not copied.
constexpr std::size_t kChunk = std::size_t{16} << 10;

// At most `longest`, and no half lines.
void cut(std::string& text, std::size_t longest) {
  if (text.size() <= longest) return;
  const auto end = text.rfind('\n', longest == 0 ? 0 : longest - 1);
  text.resize(end == std::string::npos ? longest : end + 1);
}

}  // namespace

TcpConnection::TcpConnection(std::shared_ptr<ConnectionContext> shared, Socket socket, std::shared_ptr<Address> source,
                             std::unique_ptr<net::TlsStream> tls)
    : shared_(std::move(shared)),
      socket_(std::move(socket)),
      source_(std::move(source)),
      tls_(std::move(tls)),
      frames_(shared_->limits.frame),
      account_(std::make_shared<Account>(shared_->quotas->memory, source_, *this)) {}

TcpConnection::~TcpConnection() { finish(); }

void TcpConnection::start(Origin origin) {
  // A client that cannot be told from a dead one is found out by the kernel; one that can, by the session's timeout.
  std::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);  // a Unix socket has none
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  socket_.non_blocking(true, ignored);
  client_ = origin.address;
  id_ = shared_->host.connected(shared_from_this(), std::move(origin));
  if (id_ == 0) return finish();
  if (state_ != State::open) return;
  or_lose([this] {
    wait(shared_->handshake);
    read();
  });
}

template <class Step>
void TcpConnection::or_lose(Step step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    if (state_ == State::closed) return;
    const base::SpareReserve none(base::SpareReserve::Part::none);
    refuse(Refusal::memory, "needs more than there is memory for");
  }
}

// ---- receiving

void TcpConnection::read() {
  if (reading_ || state_ == State::closed || state_ == State::draining) return;
  if (state_ == State::open && held_) return;
  // What was read into the buffer has been delivered.
  HOLDFAST_ASSERT(state_ != State::open || pending_.empty(), pending_.size());
  reading_ = true;
  if (buffer_.empty()) buffer_.resize(kLeastBuffer);
  socket_.async_read_some(
      asio::buffer(buffer_),
      [self = shared_from_this()](const std::error_code& error, std::size_t size) { self->received(error, size); });
}

void TcpConnection::received(const std::error_code& error, std::size_t size) {
  HOLDFAST_ASSERT(reading_ && size <= buffer_.size(), reading_, size, buffer_.size());
  reading_ = false;
  if (state_ == State::open) {
    if (error) return lose();
    or_lose([&] { take(size); });
  } else if (state_ == State::lingering) {
    if (error) return finish();
  }
  read();
}

void TcpConnection::take(std::size_t size) {
  shared_->host.make_room();
  if (state_ != State::open) return;
  const std::string_view bytes(buffer_.data(), size);
  if (tls_) {
    unwrap(bytes);
  } else {
    pending_ = bytes;
  }
  deliver();
  if (pending_.empty()) choose_buffer(size);
  count();
}

void TcpConnection::unwrap(std::string_view bytes) {
  plain_.clear();
  {
    const base::SpareReserve spare(base::SpareReserve::Part::half);
    stream_over_ = !tls_->receive(bytes, plain_);
  }
  pending_ = plain_;
  if (tls_->has_wire()) flush_soon();
}

FrameReader::Found TcpConnection::next_frame() {
  const base::SpareReserve spare(base::SpareReserve::Part::half);
  return frames_.take(pending_);
}

// Everything that is complete, as long as the host takes it.
void TcpConnection::deliver() {
  while (state_ == State::open && !held_ && !pending_.empty()) {
    switch (next_frame()) {
      case FrameReader::Found::nothing: break;
      case FrameReader::Found::frame:
        stop_waiting();
        shared_->host.received(id_, frames_.frame());
        break;
      case FrameReader::Found::word: return answer(frames_.word());
      case FrameReader::Found::broken: return refuse(Refusal::frame, frames_.trouble());
    }
  }
  if (state_ != State::open) return;
  if (stream_over_ && pending_.empty()) {
    if (!tls_->trouble().empty()) {
      shared_->quotas->refusals.note(Refusal::tls,
                                     fmt::format("{} failed to set up TLS: {}", client_, tls_->trouble()));
    }
    return part();
  }
  if (looking_for_the_end_) return;
  if (held_ || !frames_.waiting()) {
    stop_waiting();
  } else if (timeouts_ == nullptr) {
    wait(shared_->handshake);
  }
}

void TcpConnection::answer(std::string_view word) {
  std::string text = refusal_of_word(word);
  if (shared_->words.enabled(word)) {
    Report report = shared_->report(word);
    if (word == "envi") report.environment = environment();
    if (word == "mntr") {
      report.open_files = open_file_descriptors();
      report.max_files = max_file_descriptors();
    }
    text = answer_word(word, report);
    cut(text, shared_->limits.answer);
  }
  send(std::move(text));
  part();
}

// Large for who sends much, small again for who does not.
void TcpConnection::choose_buffer(std::size_t last_read) {
  if (last_read == buffer_.size() && buffer_.size() < kMostBuffer) {
    buffer_.resize(std::min(kMostBuffer, buffer_.size() * kBufferGrowth));
  } else if (last_read <= kLeastBuffer && buffer_.size() > kLeastBuffer) {
    buffer_ = std::string(kLeastBuffer, '\0');
  }
  if (plain_.capacity() > kLeastBuffer) plain_ = {};
}

void TcpConnection::hold_back(bool held) {
  if (held_ == held) return;
  held_ = held;
  if (held) return;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->state_ != State::open || self->held_ || self->reading_) return;
    self->or_lose([&] { self->deliver(); });
    self->read();
  });
}

void TcpConnection::look_for_the_end(bool look) {
  if (std::exchange(looking_for_the_end_, look) == look || state_ != State::open) return;
  if (look) return wait(shared_->look);
  stop_waiting();
}

bool TcpConnection::has_unread() const {
  std::error_code error;
  return state_ == State::open && (!pending_.empty() || socket_.available(error) > 0);
}

// ---- sending

void TcpConnection::send(std::string frame) {
  if (state_ != State::open || frame.empty()) return;
  gathered_bytes_ += frame.size();
  if (unsent() > shared_->limits.unsent_bytes) {
    shared_->quotas->refusals.note(
        Refusal::unread,
        fmt::format("{} does not read its answers and was disconnected: more than {} bytes wait for it "
                    "(limits.unsent_bytes)",
                    client_, shared_->limits.unsent_bytes));
    return finish_inside_host();
  }
  try {
    if (!gathered_.empty() && gathered_.back().size() + frame.size() <= kChunk) {
      gathered_.back() += frame;
    } else {
      gathered_.push_back(std::move(frame));
    }
  } catch (const std::bad_alloc&) {
    return over_budget(unsent());
  }
  count();
  if (state_ == State::open) flush_soon();
}

// One write for all that is sent in this turn of the loop.
void TcpConnection::flush_soon() {
  if (flush_due_ || !flight_.empty()) return;
  flush_due_ = true;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->flush_due_ = false;
    self->or_lose([&] { self->flush(); });
  });
}

void TcpConnection::flush() {
  if (state_ == State::closed || state_ == State::lingering || !flight_.empty()) return;
  load();
  if (flight_.empty()) {
    if (state_ == State::draining) drained();
    return;
  }
  // The kernel mostly takes all of it at once. Waiting for a handler to say so would cost a turn of the loop.
  std::vector<asio::const_buffer> buffers;
  buffers.reserve(flight_.size());
  for (const auto& chunk : flight_) buffers.push_back(asio::buffer(chunk));
  std::error_code error;
  std::size_t out = socket_.write_some(buffers, error);
  if (error && error != asio::error::would_block) return written(error);
  count();
  if (out == flight_bytes_) return written({});
  HOLDFAST_ASSERT(out < flight_bytes_, out, flight_bytes_);
  flight_bytes_ -= out;
  for (auto& buffer : buffers) {
    const std::size_t gone = std::min(out, buffer.size());
    buffer += gone;
    out -= gone;
  }
  std::erase_if(buffers, [](const asio::const_buffer& buffer) { return buffer.size() == 0; });
  asio::async_write(socket_, buffers, [self = shared_from_this()](const std::error_code& failure, std::size_t) {
    self->written(failure);
  });
}

// Moves what was gathered into the flight.
void TcpConnection::load() {
  if (tls_) {
    if (tls_->open()) {
      for (const auto& chunk : gathered_) tls_->seal(chunk);
      gathered_.clear();
      gathered_bytes_ = 0;
    }
    if (tls_->has_wire()) flight_.push_back(tls_->take_wire());
    flight_bytes_ = flight_.empty() ? 0 : flight_.front().size();
  } else {
    flight_.swap(gathered_);
    flight_bytes_ = std::exchange(gathered_bytes_, 0);
  }
}

void TcpConnection::written(const std::error_code& error) {
  flight_.clear();
  flight_bytes_ = 0;
  if (state_ == State::closed) return;
  count();
  if (!error) {
    if (id_ != 0) shared_->host.sent(id_);
    return or_lose([this] { flush(); });
  }
  if (state_ == State::open) return lose();
  finish();
}

// ---- the end

void TcpConnection::close() {
  id_ = 0;
  if (state_ != State::open) return;
  state_ = State::draining;
  pending_ = {};
  wait(shared_->handshake);  // for a client that does not read its last answers either
  flush_soon();
}

void TcpConnection::drained() {
  if (tls_ && tls_->open()) {
    tls_->say_goodbye();
    return flush();
  }
  HOLDFAST_ASSERT(state_ == State::draining && flight_.empty(), state_, flight_bytes_);
  state_ = State::lingering;
  std::error_code error;
  socket_.shutdown(asio::socket_base::shutdown_send, error);
  if (error) return finish();
  wait(shared_->linger);
  read();
}

void TcpConnection::part() {
  const ConnectionId id = id_;
  close();
  if (id != 0) shared_->host.disconnected(id);
}

void TcpConnection::lose() {
  finish();
  tell_host();
}

void TcpConnection::refuse(Refusal why, std::string_view what) {
  shared_->quotas->refusals.note(why, fmt::format("{} was disconnected: it {}", client_, what));
  lose();
}

void TcpConnection::finish_inside_host() {
  finish();
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->tell_host(); });
}

void TcpConnection::over_budget(std::size_t bytes) {
  if (state_ == State::closed) return;
  shared_->quotas->refusals.note(
      Refusal::memory,
      fmt::format(
          "{} was disconnected: {} KiB are kept for its requests and answers, the most of all clients of {}, and of "
          "{} MiB for all clients (limits.memory) the rest is needed for others",
          client_, bytes / 1024, source_->name, shared_->quotas->memory->limit() >> 20));
  finish_inside_host();
}

void TcpConnection::count() {
  if (state_ == State::closed) return;
  const auto kept = unsent() + buffer_.size() + plain_.capacity() + frames_.held();
  const auto before = std::exchange(counted_, kept);
  HOLDFAST_ASSERT(account_->was_over_budget() || account_->used() >= before, account_->used(), before);
  if (kept < before) account_->release(before - kept);
  if (kept > before) account_->charge(kept - before);
}

void TcpConnection::finish() {
  if (state_ == State::closed) return;
  state_ = State::closed;
  stop_waiting();
  std::error_code ignored;
  // A child of this process that was forked has a copy, without which the client would not hear of the end.
  socket_.shutdown(asio::socket_base::shutdown_both, ignored);
  socket_.close(ignored);
  account_->close();
  shared_->quotas->addresses.leave(*source_);
  pending_ = {};
  gathered_.clear();
  gathered_bytes_ = 0;
  flight_bytes_ = 0;
}

void TcpConnection::tell_host() {
  if (const ConnectionId id = std::exchange(id_, 0); id != 0) shared_->host.disconnected(id);
}

void TcpConnection::timed_out() {
  const auto self = shared_from_this();
  timeouts_ = nullptr;
  if (state_ == State::open && looking_for_the_end_)
    return has_ended(socket_.native_handle()) ? lose() : wait(shared_->look);
  std::error_code error;
  // What has come but was not read yet is late because of us.
  if (state_ == State::open && socket_.available(error) > 0) return wait(shared_->handshake);
  if (state_ != State::open) return finish();
  refuse(Refusal::silence, fmt::format("has not sent a whole request within {} ms (limits.handshake)",
                                       shared_->limits.handshake.count()));
}

void TcpConnection::wait(TimeoutList& timeouts) {
  stop_waiting();
  HOLDFAST_ASSERT(state_ != State::closed);
  timeouts_ = &timeouts;
  wait_ = timeouts.begin(*this);
}

void TcpConnection::stop_waiting() {
  if (timeouts_ != nullptr) std::exchange(timeouts_, nullptr)->end(wait_);
}

}  // namespace holdfast::server
