// run_check.h -- the rules about the run as a whole: everybody was served, nothing stayed, enough happened.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "check.h"

namespace holdfast::testing {

class RunCheck {
 public:
  RunCheck(Report& report, const CheckOptions& options) : report_(report), options_(options) {}

  void see(const HistoryLine& line);
  // When all have been seen, and the holds counted.
  void finish();

 private:
  struct Client {
    std::optional<HistoryLine> asked{};  // and not answered
    double trouble_ms = 0;               // when a fault last began or ended for it
    std::size_t grants = 0;
    std::size_t grants_after_healed = 0;
    bool killed = false;  // this life
    bool closed = false;
  };

  void see_trouble(const HistoryLine& line);
  void see_driver(const std::string& what, const HistoryLine& line);
  void see_client(const std::string& what, const HistoryLine& line);
  void see_answer(Client& client, const HistoryLine& line, bool granted);
  void see_end(Client& client, const HistoryLine& line);
  void blame(std::string rule, std::string what, std::vector<HistoryLine> lines = {});

  Report& report_;
  const CheckOptions options_;
  std::map<std::string, Client> clients_;
  double server_trouble_ms_ = 0;
  std::size_t expected_clients_ = 0;
  bool begun_ = false;
  bool healed_ = false;
  bool left_ = false;
  bool over_ = false;
};

}  // namespace holdfast::testing
