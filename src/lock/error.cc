#include "holdfast/error.h"

namespace holdfast {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "holdfast"; }

  std::string message(int code) const override {
    switch (static_cast<Errc>(code)) {
      case Errc::timed_out: return "timed out";
      case Errc::cancelled: return "cancelled";
      case Errc::deadlock: return "deadlock";
      case Errc::session_lost: return "session lost";
      case Errc::not_connected: return "not connected";
      case Errc::refused: return "refused";
      case Errc::not_owner: return "not the owner";
      case Errc::invalid_argument: return "invalid argument";
      case Errc::forked: return "made before fork()";
      case Errc::unsupported: return "unsupported";
    }
    return "unknown";
  }

  std::error_condition default_error_condition(int code) const noexcept override {
    switch (static_cast<Errc>(code)) {
      case Errc::timed_out: return std::errc::timed_out;
      case Errc::cancelled: return std::errc::operation_canceled;
      case Errc::deadlock: return std::errc::resource_deadlock_would_occur;
      case Errc::session_lost: return std::errc::owner_dead;
      case Errc::not_connected: return std::errc::not_connected;
      case Errc::refused: return std::errc::permission_denied;
      case Errc::not_owner: return std::errc::operation_not_permitted;
      case Errc::invalid_argument: return std::errc::invalid_argument;
      case Errc::forked: return std::errc::no_such_process;
      case Errc::unsupported: return std::errc::not_supported;
    }
    return {code, *this};
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept { return {static_cast<int>(code), error_category()}; }

Error::Error(std::error_code code, std::string sentence) : std::system_error(code), sentence_(std::move(sentence)) {}

}  // namespace holdfast
