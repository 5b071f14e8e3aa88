#include "holdfast/error.h"
#include "holdfast/handlers.h"

namespace holdfast {

TraceContext::TraceContext(std::function<std::string()> current) : current_(std::move(current)) {
  if (!current_) throw Error(Errc::invalid_argument, "a TraceContext needs a function that says the context");
}

AcquireOutcome TraceContext::acquire(const AcquireRequest& request, const AcquireNext& next) {
  auto trace = current_();
  return trace.empty() ? next(request) : next(request.with_trace(std::move(trace)));
}

}  // namespace holdfast
