// docs/fencing.md: what every recipe promises, on the real thing.
#include "recipe.h"

#include <algorithm>
#include <future>
#include <limits>

#include "race.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr Token kLargest = std::numeric_limits<Token>::max();
constexpr std::uint32_t kWriters = 4;
constexpr std::size_t kWrites = 300;
// For a starved machine with a slow disk; nothing waits for it when all is well.
constexpr std::chrono::milliseconds kRaceTimeout = 100s;

class EveryRecipe : public ::testing::TestWithParam<const char*> {
 protected:
  void expect_unchanged_by(Token token) {
    const auto before = store_->read();
    EXPECT_FALSE(store_->write(token, "late")) << token;
    EXPECT_EQ(store_->read(), before) << token;
  }
  void expect_written(Token token) {
    EXPECT_TRUE(store_->write(token, text_for(token))) << token;
    EXPECT_EQ(store_->read(), (Content{token, text_for(token)})) << token;
  }

  std::unique_ptr<Recipe> recipe_ = Recipe::make(GetParam());
  std::unique_ptr<Store> store_ = recipe_->connect();
};

class EveryRecipeAcrossProcesses : public EveryRecipe {};

INSTANTIATE_TEST_SUITE_P(with, EveryRecipe, kAllRecipes, recipe_name);
INSTANTIATE_TEST_SUITE_P(with, EveryRecipeAcrossProcesses, kRecipesAcrossProcesses, recipe_name);

TEST_P(EveryRecipe, admits_a_newer_token) {
  EXPECT_EQ(store_->read(), std::nullopt);
  for (const Token token : {1, 2, 9, 10, 1'000}) expect_written(token);
}

TEST_P(EveryRecipe, refuses_an_older_token_and_changes_nothing) {
  expect_written(10);
  for (const Token token : {9, 2, 1}) expect_unchanged_by(token);
}

TEST_P(EveryRecipe, admits_the_same_holder_again) {
  expect_written(7);
  EXPECT_TRUE(store_->write(7, "again"));
  EXPECT_EQ(store_->read(), (Content{7, "again"}));
}

TEST_P(EveryRecipe, refuses_zero_which_is_no_token) {
  expect_unchanged_by(0);
  expect_written(1);
  expect_unchanged_by(0);
}

// Around each border of a number format that somebody might have used, tokens differ in the lowest bit only.
TEST_P(EveryRecipe, is_exact_over_the_whole_range) {
  const Token borders[] = {Token{1} << 31,
                           Token{1} << 32,
                           9'999'999'999,
                           Token{1} << 53,
                           (Token{1} << 53) * 3,
                           9'999'999'999'999'999'999U,  // the last with 19 digits: above 2^63
                           kLargest - 1};
  std::vector<Token> sorted(std::begin(borders), std::end(borders));
  sorted.push_back(Token{1} << 62);
  sorted.push_back(Token{1} << 63);
  std::sort(sorted.begin(), sorted.end());
  for (const Token border : sorted) {
    expect_written(border - 1);
    expect_written(border);
    expect_unchanged_by(border - 1);
    expect_written(border + 1);
    expect_unchanged_by(border);
    expect_unchanged_by(1);
  }
  EXPECT_EQ(store_->read()->token, kLargest);
}

TEST_P(EveryRecipe, refuses_through_another_connection_too) {
  const auto other = recipe_->connect();
  expect_written(5);
  EXPECT_FALSE(other->write(4, "late"));
  EXPECT_TRUE(other->write(6, "new"));
  expect_unchanged_by(5);
  EXPECT_EQ(store_->read(), (Content{6, "new"}));
}

// Sums up what writers saw, and compares it with what the resource recorded.
class Verdict {
 public:
  void add(const RaceResult& result) {
    EXPECT_FALSE(result.wrong.has_value()) << result.wrong.value_or("");
    admitted_ += result.admitted;
    refused_ += result.refused;
    largest_ = std::max(largest_, result.largest);
  }

  void expect_it_belongs_to_the_largest(Store& store) const {
    EXPECT_EQ(store.read(), (Content{largest_, text_for(largest_)}));
    // Else the race was none.
    EXPECT_GT(admitted_, kWriters);
    EXPECT_GT(refused_, kWriters);
  }

  void expect_order(const std::vector<Token>& journal) const {
    EXPECT_EQ(journal.size(), admitted_);
    const auto back = std::is_sorted_until(journal.begin(), journal.end());
    EXPECT_TRUE(back == journal.end()) << *back << " was admitted after a larger one";
  }

 private:
  std::size_t admitted_ = 0;
  std::size_t refused_ = 0;
  Token largest_ = 0;
};

TEST_P(EveryRecipe, ends_with_the_largest_of_many_threads) {
  std::vector<std::future<RaceResult>> writers;
  for (std::uint32_t i = 0; i < kWriters; ++i) {
    writers.push_back(std::async(std::launch::async, [this, i] {
      const auto store = recipe_->connect();
      return race(*store, i, kWrites);
    }));
  }
  Verdict verdict;
  for (auto& writer : writers) verdict.add(writer.get());
  verdict.expect_it_belongs_to_the_largest(*store_);
  // Only processes keep the journal of a file.
  if (GetParam() != std::string_view("file")) verdict.expect_order(recipe_->journal());
}

TEST_P(EveryRecipeAcrossProcesses, ends_with_the_largest_of_many_processes_and_admits_in_order) {
  std::vector<std::unique_ptr<Peer>> writers;
  for (std::uint32_t i = 0; i < kWriters; ++i) writers.push_back(recipe_->start_writer());
  for (std::uint32_t i = 0; i < kWriters; ++i) {
    writers[i]->send("race " + std::to_string(i) + " " + std::to_string(kWrites));
  }
  Verdict verdict;
  for (auto& writer : writers) verdict.add(RaceResult::parse(writer->expect("", kRaceTimeout)));
  verdict.expect_it_belongs_to_the_largest(*store_);
  verdict.expect_order(recipe_->journal());
}

}  // namespace
}  // namespace holdfast::testing
