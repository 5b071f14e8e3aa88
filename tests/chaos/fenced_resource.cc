#include "fenced_resource.h"

namespace holdfast::testing {

bool FencedResource::write(const std::string& who, Json request) {
  const std::lock_guard lock(guard_);
  const bool admitted = fence_.admit(request.at("token").get<Token>()) || !fenced_;
  request["admitted"] = admitted;
  history_.add(who, request);
  return admitted;
}

}  // namespace holdfast::testing
