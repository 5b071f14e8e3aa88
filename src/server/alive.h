// alive.h -- lets what was put off find out whether its object is still there.
#pragma once

#include <memory>
#include <utility>

namespace holdfast::server {

// A member of the object, declared last: it is gone first.
class Alive {
 public:
  Alive() = default;
  ~Alive() { *there_ = false; }
  Alive(const Alive&) = delete;
  Alive& operator=(const Alive&) = delete;

  // `f`, which does nothing once the object is gone.
  template <class F>
  auto guard(F f) const {
    return [there = there_, f = std::move(f)]() mutable {
      if (*there) f();
    };
  }

 private:
  std::shared_ptr<bool> there_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::server
