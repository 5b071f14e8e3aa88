// file_store.h -- examples/fencing/fenced_file as a Store.
#pragma once

#include "fencing/fenced_file.h"
#include "store.h"

namespace holdfast::testing {

class FileStore final : public Store {
 public:
  explicit FileStore(const std::string& path) : file_(path) {}

  bool write(Token token, const std::string& text) override;
  std::optional<Content> read() override;

 private:
  fencing::FencedFile file_;
};

}  // namespace holdfast::testing
