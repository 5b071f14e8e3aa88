#include "server/takes_memory.h"

#include <algorithm>

namespace holdfast::server {
namespace {

struct Grows {
  bool operator()(const wire::Create&) const { return true; }
  bool operator()(const wire::SetData&) const { return true; }
  bool operator()(const wire::SetAcl&) const { return true; }
  bool operator()(const wire::Multi& multi) const {
    return std::any_of(multi.steps.begin(), multi.steps.end(), [](const auto& step) {
      return std::holds_alternative<wire::Create>(step) || std::holds_alternative<wire::SetData>(step);
    });
  }
  bool operator()(const wire::Exists& request) const { return request.watch; }
  bool operator()(const wire::GetData& request) const { return request.watch; }
  bool operator()(const wire::GetChildren& request) const { return request.watch; }
  bool operator()(const wire::AddWatch&) const { return true; }
  bool operator()(const wire::SetWatches&) const { return true; }
  template <class T>
  bool operator()(const T&) const {
    return false;
  }
};

}  // namespace

bool takes_memory(const wire::Request& request) { return std::visit(Grows{}, request); }

}  // namespace holdfast::server
