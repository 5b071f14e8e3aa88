// oracle.h -- a witness for mutual exclusion across processes and languages.
//
// A directory shared by everybody who takes the lock. The protocol is files only, so that Java and Python
// peers speak it too:
//
//   inside     exists while somebody is in the critical section; made with O_CREAT|O_EXCL; content: the id
//   overlaps   one line per entry that found somebody inside: "<id> found <other id>"
//   grants     one line per completed critical section, in order: "<id> <token>"
//
// Lines are appended with O_APPEND and one write(), so that concurrent writers do not mix.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::testing {

class Oracle {
 public:
  struct Grant {
    std::string id;
    std::string token;  // "-" from clients that have none
  };

  // The directory must exist; nothing is created in it yet.
  explicit Oracle(std::filesystem::path directory);

  // False, and on record, if somebody is inside. Then the caller is not inside and must not leave().
  [[nodiscard]] bool enter(std::string_view id);
  // Puts the grant on record first and opens the door after, so that `grants` has the order of entering.
  void leave(std::string_view id, std::string_view token);

  // Forgets who is inside: after kill -9 of the holder, which could not leave.
  void clear_inside();

  std::vector<std::string> overlaps() const;
  std::vector<Grant> grants() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace holdfast::testing
