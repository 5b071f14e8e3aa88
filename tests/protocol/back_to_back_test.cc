// The same requests to Apache ZooKeeper and to the engine: every answer is the same.
//
//   HOLDFAST_PROTOCOL_SEEDS=500          more scripts than the usual
//   HOLDFAST_PROTOCOL_FIRST_SEED=17      others than the usual; with SEEDS=1, just this one
#include "back_to_back.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "player.h"
#include "server_pair.h"

namespace holdfast::testing {
namespace {

constexpr std::size_t kSteps = 400;
constexpr std::uint64_t kSeeds = 20;

std::uint64_t from_environment(const char* name, std::uint64_t standard) {
  const char* text = std::getenv(name);
  return text == nullptr ? standard : std::stoull(text);
}

// Every second script is sent in pipelines. Stops at the first difference.
void compare(const ZooKeeperServer& left, const ZooKeeperServer& right, std::uint64_t standard_seeds) {
  const std::uint64_t first = from_environment("HOLDFAST_PROTOCOL_FIRST_SEED", 1);
  const std::uint64_t seeds = from_environment("HOLDFAST_PROTOCOL_SEEDS", standard_seeds);
  ASSERT_GT(seeds, 0U);
  BackToBack servers(left.port(), right.port());
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const auto difference = servers.run({.seed = seed, .steps = kSteps, .pipelined = seed % 2 == 0});
    ASSERT_FALSE(difference) << difference->text;
  }
}

TEST(BackToBack, the_engine_answers_every_request_as_zookeeper_does) {
  const ZooKeeperServer apache(server_options(ServerMake::apache));
  const ZooKeeperServer engine(server_options(ServerMake::engine));
  compare(apache, engine, kSeeds);
}

TEST(BackToBack, the_engine_answers_as_zookeeper_does_without_extended_types) {
  const ZooKeeperServer apache(server_options(ServerMake::apache, {.extended_types = false}));
  const ZooKeeperServer engine(server_options(ServerMake::engine, {.extended_types = false}));
  compare(apache, engine, kSeeds);
}

// What differs between two of the same is noise of the comparison.
TEST(BackToBack, two_zookeepers_answer_alike) {
  const ZooKeeperServer one(server_options(ServerMake::apache));
  const ZooKeeperServer other(server_options(ServerMake::apache));
  compare(one, other, 4);
}

TEST(BackToBack, a_server_with_another_setting_is_found_out) {
  const ZooKeeperServer with(server_options(ServerMake::engine));
  const ZooKeeperServer without(server_options(ServerMake::engine, {.extended_types = false}));
  BackToBack servers(with.port(), without.port());
  const auto difference = servers.run({.seed = 1, .steps = kSteps});
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->text.find("Seed 1"), std::string::npos);
  EXPECT_NE(difference->text.find("err -6"), std::string::npos) << difference->text;
}

// Equal answers say little if all of them are "no such node": what the scripts of a run bring about.
TEST(BackToBack, scripts_reach_every_kind_of_answer) {
  const ZooKeeperServer engine(server_options(ServerMake::engine));
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto script = make_script({.seed = seed, .steps = kSteps, .pipelined = seed % 2 == 0});
    const Transcript transcript = Player(engine.port(), seed).play(script);
    for (const StepRecord& step : transcript.steps) {
      for (const auto& lines : step.received) {
        for (const std::string& line : lines) {
          const std::size_t err = line.find(" err ");
          if (line.find("reply ") == 0) ++seen[line.substr(err + 1, line.find(' ', err + 5) - err - 1)];
          if (line.find("event ") == 0) ++seen[line.substr(0, line.find(" state"))];
          if (line.find("results[-1") != std::string::npos) ++seen["failed multi"];
          if (line.find("results[1 ") != std::string::npos) ++seen["multi"];
          if (line.find("results[4 ") != std::string::npos) ++seen["multiRead"];
          if (line == "closed" || line == "refused") ++seen[line];
          if (line.find("as before") != std::string::npos) ++seen["resumed"];
          if (line.find("owner session") != std::string::npos) ++seen["ephemeral"];
        }
      }
    }
  }
  for (const char* kind :
       {"err 0",        "err -5",       "err -6",       "err -8",       "err -101",     "err -102", "err -103",
        "err -108",     "err -110",     "err -111",     "err -114",     "err -115",     "err -121", "err -123",
        "event type 1", "event type 2", "event type 3", "event type 4", "failed multi", "multi",    "multiRead",
        "closed",       "refused",      "resumed",      "ephemeral"}) {
    EXPECT_GE(seen[kind], 10) << kind;
  }
}

}  // namespace
}  // namespace holdfast::testing
