#include "redis/sentinels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "redis/refusal.h"
#include "resp/command.h"

namespace holdfast::redis {
namespace {

// What a Sentinel says of a master is a list: name, value, name, value ...
std::string_view field(const resp::Value& value, std::string_view name) {
  for (std::size_t at = 0; at + 1 < value.items.size(); at += 2) {
    if (value.items[at].text == name) return value.items[at + 1].text;
  }
  return {};
}

}  // namespace

Sentinels::Sentinels(net::Reactor& reactor, Options options, std::shared_ptr<net::ClientTls> tls)
    : reactor_(reactor),
      options_(std::move(options)),
      tls_(std::move(tls)),
      resolver_(reactor, tls_ ? net::Names::kept : net::Names::dropped) {}

void Sentinels::find(Done done) {
  cancel();
  done_ = std::move(done);
  resolver_.resolve(options_.sentinels, [this](const net::ServerAddresses& sentinels, const std::string& trouble) {
    ask(sentinels, trouble);
  });
}

void Sentinels::cancel() {
  ++round_;
  resolver_.cancel();
  for (auto& question : questions_) {
    if (question.line) question.line->let_go();
  }
  questions_.clear();
  done_ = nullptr;
}

void Sentinels::ask(const net::ServerAddresses& sentinels, const std::string& unresolved) {
  unresolved_ = unresolved;
  asked_ = sentinels;
  questions_.resize(sentinels.size());
  std::vector<resp::Command> commands;
  if (!options_.password.empty()) {
    commands.push_back({"AUTH", options_.user.empty() ? "default" : options_.user, options_.password});
  }
  commands.push_back({"SENTINEL", "MASTER", options_.master});
  // Not the address in the answer to that: in the course of a failover it is the old one for longer.
  commands.push_back({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options_.master});
  for (std::size_t number = 0; number < sentinels.size(); ++number) {
    auto& question = questions_[number];
    question.answers = commands.size();
    question.line = Line::make(reactor_, sentinels[number], reactor_.now() + options_.patience,
                               {.received =
                                    [this, number, round = round_](const resp::Value& value) {
                                      if (round == round_) received(number, value);
                                    },
                                .lost =
                                    [this, number, round = round_](const std::string& why) {
                                      if (round == round_)
                                        failed(number, why == "Connection refused" ? "connection refused" : why, false);
                                    }},
                               tls_.get());
    for (const auto& command : commands) question.line->write(resp::encode(command));
  }
  // Events come later, but of no Sentinel at all none comes.
  if (sentinels.empty()) count();
}

void Sentinels::received(std::size_t number, const resp::Value& value) {
  auto& question = questions_[number];
  if (question.over) return;
  if (value.is_error()) {
    const auto words = base::printable(value.text, 100);
    if (value.text.find("No such master") != std::string::npos) {
      return failed(number, fmt::format("it does not know a master \"{}\"", base::printable(options_.master)), true);
    }
    if (value.text.find("without any password configured") != std::string::npos) {
      return failed(number, "it has no password, but sentinel_password is set", true);
    }
    if (value.code() == "NOAUTH") return failed(number, "it wants a password; set sentinel_password", true);
    if (value.code() == "WRONGPASS") return failed(number, "it has refused the user or the password", true);
    if (value.code() == "NOPERM") {
      return failed(number,
                    fmt::format("its user may not ask for the master ({}); give it +sentinel|master and "
                                "+sentinel|get-master-addr-by-name",
                                words),
                    true);
    }
    if (value.text.find("unknown command") != std::string::npos) {
      return failed(number, "it is not a Sentinel; write redis://host:port for a server", true);
    }
    return failed(number, words, false);
  }
  --question.answers;
  if (question.answers == 1) {
    const auto epoch = field(value, "config-epoch");
    (void)std::from_chars(epoch.data(), epoch.data() + epoch.size(), question.epoch);
  }
  if (question.answers > 0) return;
  if (question.epoch < 0 || value.items.size() != 2 || value.items[0].text.empty() || value.items[1].text.empty()) {
    return failed(number, "it answers what was not asked", false);
  }
  question.master = net::ServerAddress{value.items[0].text, value.items[1].text};
  question.over = true;
  count();
}

void Sentinels::failed(std::size_t number, std::string why, bool final) {
  auto& question = questions_[number];
  if (question.over) return;
  question.over = true;
  question.trouble = std::move(why);
  question.final = final;
  count();
}

void Sentinels::count() {
  if (!done_) return;  // enough have answered
  Found found{.trouble = unresolved_, .final = unresolved_.empty() && !questions_.empty()};
  std::size_t over = 0;
  std::size_t said = 0;
  std::int64_t epoch = -1;
  for (std::size_t number = 0; number < questions_.size(); ++number) {
    const auto& question = questions_[number];
    if (question.over) ++over;
    if (!question.final) found.final = false;
    if (!question.trouble.empty()) {
      found.trouble += fmt::format("{}the Sentinel at {}: {}", found.trouble.empty() ? "" : "; ", asked_[number].text(),
                                   question.trouble);
    }
    if (!question.master) continue;
    ++said;
    if (question.epoch < epoch) continue;
    epoch = question.epoch;
    found.master = question.master;
  }
  if (over < questions_.size() && said <= questions_.size() / 2) return;
  const auto done = std::exchange(done_, nullptr);
  // Not inside an event of a line that is let go then.
  reactor_.post([this, round = round_, done, found = std::move(found)] {
    if (round != round_) return;
    cancel();
    done(found);
  });
}

}  // namespace holdfast::redis
