// credentials.h -- ZooKeeper's scheme "digest": who knows a password.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/records.h"

namespace holdfast::server {

// "user:password" -> "user:base64(sha1(user:password))", which is what lists of permissions and configurations hold.
std::string digest_of(std::string_view user_and_password);

class Credentials {
 public:
  // Of those who may use the server at all (none: every client may), and of the superuser (empty: there is none).
  Credentials(std::vector<std::string> required, std::string super) : required_(required), super_(std::move(super)) {}

  // The identity of a client that sent this as "digest".
  std::vector<wire::Id> identify(std::string_view user_and_password) const;

  // False if the login is wrong where a password is known: of the users that are required, or of the superuser. Any other digest is
  // only a name for lists of permissions, as in ZooKeeper.
  bool accepts(std::string_view user_and_password, const std::vector<wire::Id>& ids) const;

  bool any_required() const { return !required_.empty(); }
  bool is_enough(const wire::Id& id) const;

 private:
  std::vector<std::string> required_;
  std::string super_;
};

}  // namespace holdfast::server
