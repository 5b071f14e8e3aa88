#include "cli/doctor/findings.h"

#include <gtest/gtest.h>

namespace holdfast::cli::doctor {
namespace {

const Finding kServer{"server", State::ok, "127.0.0.1:1 is reached"};
const Finding kFine{"session", State::ok, "15 s granted"};
const Finding kOdd{"clock", State::warning, "2 s apart", "set it"};
const Finding kBroken{"server", State::wrong, "127.0.0.1:1 refuses", "start it"};

TEST(DoctorFindings, the_verdict_is_the_worst_of_them) {
  EXPECT_EQ(verdict({kServer, kFine}), State::ok);
  EXPECT_EQ(verdict({kServer, kOdd, kFine}), State::warning);
  EXPECT_EQ(verdict({kBroken, kServer, kOdd, kFine}), State::wrong);
}

TEST(DoctorFindings, are_not_well_unless_a_server_has_answered) {
  const Finding away{"server", State::warning, "127.0.0.1:1 refuses"};
  for (const auto& findings : {Findings{}, Findings{kFine}, Findings{kFine, kOdd}, Findings{away}}) {
    EXPECT_EQ(verdict(findings), State::wrong);
    const auto text = to_text(findings);
    EXPECT_EQ(text.find("All"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("No server has answered.\n")) << text;
  }
}

TEST(DoctorFindings, are_a_line_each_with_what_to_do_below) {
  EXPECT_EQ(to_text({kServer, kFine, kOdd}),
            "ok       server       127.0.0.1:1 is reached\n"
            "ok       session      15 s granted\n"
            "warning  clock        2 s apart\n"
            "                      -> set it\n"
            "All works; 1 warning.\n");
  EXPECT_TRUE(to_text({kServer}).ends_with("\nAll is well.\n"));
  EXPECT_TRUE(to_text({kBroken}).ends_with("\n1 thing is wrong.\n"));
  EXPECT_TRUE(to_text({kBroken, kBroken, kOdd, kOdd}).ends_with("\n2 things are wrong, 2 warnings.\n"));
}

TEST(DoctorFindings, send_no_escape_sequence_of_a_server_to_a_terminal) {
  const auto text = to_text({{"server", State::ok, "version \x1b[31m\xc2\x9b"}});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x9b'), std::string::npos);
}

TEST(DoctorFindings, are_one_document_for_programs) {
  EXPECT_NE(to_json({{"boot clock", State::ok, "goes on"}}, "").find(R"("check":"boot_clock")"), std::string::npos);
  EXPECT_EQ(to_json({kServer, kFine, kOdd}, "local:"),
            R"({"url":"local:","checks":[)"
            R"({"check":"server","state":"ok","message":"127.0.0.1:1 is reached","fix":null},)"
            R"({"check":"session","state":"ok","message":"15 s granted","fix":null},)"
            R"({"check":"clock","state":"warning","message":"2 s apart","fix":"set it"}],"verdict":"warning"})"
            "\n");
}

}  // namespace
}  // namespace holdfast::cli::doctor
