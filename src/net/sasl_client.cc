#include "net/sasl_client.h"

#include <fmt/format.h>
#include <sasl/sasl.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/log.h"

namespace holdfast::net {
namespace {

constexpr std::string_view kDigest = "DIGEST-MD5";
constexpr std::string_view kKerberos = "GSSAPI";
constexpr std::string_view kNotWanted = "its connection is gone";

// libsasl2 has no mutexes unless the program gives it some, which a library must not do: another library may use it
// already. So a mutex of ours guards each call. GSSAPI may wait for the KDC, and has one of its own.
std::mutex& mutex_of(std::string_view mechanism) {
  static std::mutex kerberos;
  static std::mutex others;
  return mechanism == kKerberos ? kerberos : others;
}

// It would write to the system's log.
int no_log(void*, int level, const char* message) {
  if (level >= SASL_LOG_TRACE) return SASL_OK;  // from there on it may tell passwords
  base::log().debug("SASL: {}", message);
  return SASL_OK;
}

using Callback = int (*)();

template <typename Function>
sasl_callback_t callback(unsigned long id, Function* function, void* context) {
  // Through the one type to which every function can be cast without a warning.
  return {id, reinterpret_cast<Callback>(reinterpret_cast<void (*)()>(function)), context};
}

}  // namespace

struct SaslClient::State {
  explicit State(Login l) : login(std::move(l)) {
    // sasl_secret_t ends with the bytes of the secret.
    secret.resize(sizeof(sasl_secret_t) + login.password.size());
    auto* made = reinterpret_cast<sasl_secret_t*>(secret.data());
    made->len = login.password.size();
    std::memcpy(made->data, login.password.data(), login.password.size());
    callbacks = {callback(SASL_CB_LOG, no_log, nullptr),
                 callback(SASL_CB_AUTHNAME, user, this),
                 callback(SASL_CB_USER, user, this),
                 callback(SASL_CB_PASS, password, this),
                 {SASL_CB_LIST_END, nullptr, nullptr}};
  }
  // With the mutex of its mechanism.
  ~State() {
    if (connection != nullptr) sasl_dispose(&connection);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static int user(void* context, int id, const char** result, unsigned* length) {
    const auto& self = *static_cast<State*>(context);
    // The user acts for itself, not on behalf of another user.
    *result = id == SASL_CB_AUTHNAME ? self.login.user.c_str() : "";
    if (length != nullptr) *length = static_cast<unsigned>(std::strlen(*result));
    return SASL_OK;
  }

  static int password(sasl_conn_t*, void* context, int, sasl_secret_t** secret) {
    *secret = reinterpret_cast<sasl_secret_t*>(static_cast<State*>(context)->secret.data());
    return SASL_OK;
  }

  std::string why(int result) const {
    const char* text = connection != nullptr ? sasl_errdetail(connection) : sasl_errstring(result, nullptr, nullptr);
    return text != nullptr ? text : "unknown reason";
  }

  const Login login;
  std::vector<std::byte> secret;
  std::array<sasl_callback_t, 5> callbacks{};
  sasl_conn_t* connection = nullptr;
};

namespace {

// Connections of destroyed logins. The destroying thread may not be allowed to wait for the mutex, under which another login may ask a KDC.
struct Graveyard {
  std::mutex mutex;
  std::vector<void*> states;
};

Graveyard& graveyard_of(std::string_view mechanism) {
  // Never destroyed: a login may outlive everything that is static.
  static auto* const kerberos = new Graveyard;
  static auto* const others = new Graveyard;
  return mechanism == kKerberos ? *kerberos : *others;
}

}  // namespace

void SaslClient::Bury::operator()(State* state) const noexcept {
  auto& graveyard = graveyard_of(state->login.mechanism);
  const std::lock_guard lock(graveyard.mutex);
  graveyard.states.push_back(state);
}

// With the mutex of the mechanism.
void SaslClient::dispose_buried(std::string_view mechanism) {
  auto& graveyard = graveyard_of(mechanism);
  std::vector<void*> states;
  {
    const std::lock_guard lock(graveyard.mutex);
    states.swap(graveyard.states);
  }
  for (void* state : states) delete static_cast<State*>(state);
}

SaslClient::SaslClient(StatePtr state) : state_(std::move(state)) {}
SaslClient::SaslClient(SaslClient&&) noexcept = default;
SaslClient& SaslClient::operator=(SaslClient&&) noexcept = default;
SaslClient::~SaslClient() = default;

tl::expected<SaslClient, std::string> SaslClient::begin(const Login& login) {
  // Never undone: another library in this program may use it.
  static const int initialised = sasl_client_init(nullptr);
  if (initialised != SASL_OK) {
    return tl::unexpected(fmt::format("cannot set up SASL: {}", sasl_errstring(initialised, nullptr, nullptr)));
  }
  StatePtr state(new State(login));
  const std::lock_guard lock(mutex_of(login.mechanism));
  dispose_buried(login.mechanism);
  if (login.wanted && !login.wanted()) return tl::unexpected(std::string(kNotWanted));
  int result = sasl_client_new(login.service.c_str(), login.host.c_str(), nullptr, nullptr, state->callbacks.data(), 0,
                               &state->connection);
  // Only a login: encryption is left to TLS.
  sasl_security_properties_t properties{};
  properties.security_flags = SASL_SEC_NOANONYMOUS;
  if (result == SASL_OK) result = sasl_setprop(state->connection, SASL_SEC_PROPS, &properties);
  if (result != SASL_OK) return tl::unexpected(fmt::format("cannot set up SASL: {}", state->why(result)));
  return SaslClient(std::move(state));
}

tl::expected<SaslClient::Step, std::string> SaslClient::start() {
  const auto& mechanism = state_->login.mechanism;
  const std::lock_guard lock(mutex_of(mechanism));
  if (state_->login.wanted && !state_->login.wanted()) return tl::unexpected(std::string(kNotWanted));
  const char* token = nullptr;
  unsigned length = 0;
  const char* chosen = nullptr;
  // DIGEST-MD5 could resume from the last login (RFC 2831, 2.2), which saves a round trip; here the server begins, as with ZooKeeper's own
  // clients.
  const bool server_first = mechanism == kDigest;
  const int result = sasl_client_start(state_->connection, mechanism.c_str(), nullptr, server_first ? nullptr : &token,
                                       server_first ? nullptr : &length, &chosen);
  if (result == SASL_NOMECH) {
    return tl::unexpected(fmt::format("libsasl2 has no {} on this machine; install {}", mechanism,
                                      mechanism == kKerberos ? "libsasl2-modules-gssapi-mit" : "libsasl2-modules"));
  }
  if (result != SASL_OK && result != SASL_CONTINUE) {
    return tl::unexpected(mechanism == kKerberos
                              ? fmt::format("there is no Kerberos ticket for {}@{} ({}); run kinit",
                                            state_->login.service, state_->login.host, state_->why(result))
                              : fmt::format("cannot begin a login by {}: {}", mechanism, state_->why(result)));
  }
  return Step{token == nullptr ? std::string() : std::string(token, length), result == SASL_OK};
}

tl::expected<SaslClient::Step, std::string> SaslClient::step(std::string_view challenge) {
  const std::lock_guard lock(mutex_of(state_->login.mechanism));
  if (state_->login.wanted && !state_->login.wanted()) return tl::unexpected(std::string(kNotWanted));
  const char* token = nullptr;
  unsigned length = 0;
  const int result = sasl_client_step(state_->connection, challenge.data(), static_cast<unsigned>(challenge.size()),
                                      nullptr, &token, &length);
  if (result != SASL_OK && result != SASL_CONTINUE) {
    return tl::unexpected(
        fmt::format("the server's part of the login by {} is wrong: {}", state_->login.mechanism, state_->why(result)));
  }
  return Step{token == nullptr ? std::string() : std::string(token, length), result == SASL_OK};
}

}  // namespace holdfast::net
