// back_to_back.h -- the same script on two servers, and what is different.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "script.h"
#include "transcript.h"

namespace holdfast::testing {

struct Difference {
  ScriptOptions options{};
  std::string kind{};  // the request and both answers without their numbers: equal for equal causes
  std::string text{};  // everything there is to know
};

class BackToBack {
 public:
  // Two servers of the same history: started alike, and compared by this alone.
  BackToBack(std::uint16_t left, std::uint16_t right) : left_(left), right_(right) {}

  // Nothing if they are equal. A difference is shrunk: steps that do not matter for it are left out.
  std::optional<Difference> run(const ScriptOptions& options);

 private:
  struct Found {
    std::size_t step = 0;
    Transcript left{};
    Transcript right{};
  };
  std::optional<Found> play(const std::vector<Step>& script);
  // Both become shorter.
  void shrink(std::vector<Step>& script, Found& found);

  std::uint16_t left_;
  std::uint16_t right_;
  std::size_t plays_ = 0;
};

}  // namespace holdfast::testing
