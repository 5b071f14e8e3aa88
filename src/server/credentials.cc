#include "server/credentials.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

namespace holdfast::server {

std::string digest_of(std::string_view user_and_password) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned int size = 0;
  EVP_Digest(user_and_password.data(), user_and_password.size(), hash.data(), &size, EVP_sha1(), nullptr);
  std::array<unsigned char, std::size_t{2} * EVP_MAX_MD_SIZE> text{};
  const auto length = EVP_EncodeBlock(text.data(), hash.data(), static_cast<int>(size));
  std::string digest(user_and_password.substr(0, user_and_password.find(':')));
  digest.push_back(':');
  return digest.append(reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(length));
}

std::vector<wire::Id> Credentials::identify(std::string_view user_and_password) const {
  const auto digest = digest_of(user_and_password);
  std::vector<wire::Id> ids;
  if (!super_.empty() && digest == super_) ids.push_back({"super", ""});
  ids.push_back({"digest", digest});
  return ids;
}

bool Credentials::accepts(std::string_view user_and_password, const std::vector<wire::Id>& ids) const {
  const bool known = std::any_of(ids.begin(), ids.end(), [this](const wire::Id& id) { return is_enough(id); });
  if (known) return true;
  const bool as_super = !super_.empty() && user_and_password.starts_with("super:");
  return !any_required() && !as_super;
}

bool Credentials::is_enough(const wire::Id& id) const {
  if (id.scheme == "super") return true;
  return id.scheme == "digest" && std::find(required_.begin(), required_.end(), id.id) != required_.end();
}

}  // namespace holdfast::server
