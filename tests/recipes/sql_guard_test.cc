// What the guard column covers, and what it does not: the limits that docs/fencing.md names.
#include <stdexcept>

#include "fencing/token_text.h"
#include "recipe.h"
#include "sql_store.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using fencing::token_text;

class SqlGuard : public ::testing::Test {
 protected:
  void SetUp() override { create_schema(path_); }

  int write_row(const std::string& id, const std::string& token, const std::string& text) {
    database_.run(example("fencing/guard_row_write.sql"), {{":id", id}, {":token", token}, {":text", text}});
    return database_.changes();
  }
  int admit(const std::string& resource, const std::string& token) {
    database_.run(example("fencing/guard_resource_admit.sql"), {{":resource", resource}, {":token", token}});
    return database_.changes();
  }
  std::string text_of(const std::string& id) {
    return database_.run("SELECT text FROM document WHERE id = :id", {{":id", id}}).at(0).at(0);
  }

  TempDir dir_{"sql-guard"};
  std::string path_ = (dir_ / "documents.db").string();
  Database database_{path_};
};

TEST_F(SqlGuard, of_a_row_says_nothing_about_another_row) {
  database_.run("INSERT INTO document (id, text) VALUES (2, '')");
  EXPECT_EQ(write_row("1", token_text(7), "seven"), 1);
  EXPECT_EQ(write_row("2", token_text(6), "six"), 1) << "row 2 has not heard of 7";
  EXPECT_EQ(text_of("2"), "six");
}

TEST_F(SqlGuard, of_a_resource_covers_all_its_rows_and_no_other_resource) {
  EXPECT_EQ(admit("orders", token_text(7)), 1);
  EXPECT_EQ(admit("orders", token_text(6)), 0);
  EXPECT_EQ(admit("members", token_text(6)), 1);
}

TEST_F(SqlGuard, cannot_tell_a_refusal_from_a_row_that_is_not_there) {
  EXPECT_EQ(write_row("99", token_text(7), "seven"), 0);
}

TEST_F(SqlGuard, lets_nothing_be_written_with_a_token_that_is_not_20_digits) {
  ASSERT_EQ(write_row("1", token_text(7), "seven"), 1);
  ASSERT_EQ(admit("orders", token_text(7)), 1);
  // As text these sort behind 7; the CHECK stops them.
  for (const char* token : {"8", "9999", "0000000000000000000x", "1x"}) {
    EXPECT_THROW(write_row("1", token, "wrong"), std::runtime_error) << token;
    EXPECT_THROW(admit("orders", token), std::runtime_error) << token;
  }
  // These sort before it.
  for (const char* token : {"", "000000000000000000008", "-8"}) EXPECT_EQ(write_row("1", token, "wrong"), 0) << token;
  EXPECT_EQ(text_of("1"), "seven");
  EXPECT_EQ(admit("orders", token_text(6)), 0);
}

TEST_F(SqlGuard, forgets_a_token_whose_transaction_was_rolled_back) {
  ASSERT_EQ(admit("orders", token_text(5)), 1);
  database_.run("BEGIN IMMEDIATE");
  ASSERT_EQ(admit("orders", token_text(7)), 1);
  database_.run("ROLLBACK");
  EXPECT_EQ(admit("orders", token_text(6)), 1) << "7 has written nothing";
}

}  // namespace
}  // namespace holdfast::testing
