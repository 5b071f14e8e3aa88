#include "server/committer.h"

#include <utility>

namespace holdfast::server {

Committer::Committer(store::Store& store) : store_(store), thread_([this] { run(); }) {}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Committer::commit(Group group, Done done) {
  {
    const std::lock_guard lock(mutex_);
    group_ = std::move(group);
    done_ = std::move(done);
  }
  changed_.notify_one();
}

void Committer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return group_ || stopping_; });
    if (!group_) return;
    const Group group = std::move(*std::exchange(group_, std::nullopt));
    const Done done = std::exchange(done_, {});
    lock.unlock();
    std::vector<store::Record> records;
    records.reserve(group.size());
    for (const auto& record : group) records.push_back({record.index, record.bytes});
    done(store_.append(records));
    lock.lock();
  }
}

}  // namespace holdfast::server
