#include "file_store.h"

namespace holdfast::testing {

bool FileStore::write(Token token, const std::string& text) { return file_.write(token, text); }

std::optional<Content> FileStore::read() {
  auto content = file_.read();
  if (!content) return std::nullopt;
  return Content{content->token, std::move(content->text)};
}

}  // namespace holdfast::testing
