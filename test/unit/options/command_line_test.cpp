#include "options/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dcm::options {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Flags that are accepted without being in the table.
std::optional<FlagType> type_of_other(std::string_view name) {
  if (name == "profiling") return FlagType::switched;
  if (name == "cluster-cidr" || name == "cert_dir") return FlagType::with_value;
  return std::nullopt;
}

// A separate table, with one row of each kind.
class ParseCommandLine : public testing::Test {
 protected:
  std::string value_of(const CommandLine& line, std::string_view flag) {
    for (const Given& given : line.given) {
      if (given.setting->text.flag == flag) return to_text(given.value);
    }
    return "(not given)";
  }

  bool watch_ = true;
  int level_ = 1;
  double rate_ = 2.5;
  std::string file_;
  Strings names_;
  Switches gates_;
  const Settings table_ = {
      switch_setting({"leader-elect", "", "", ""}, watch_),
      number_setting({"v", "", "NUMBER", "", 'v'}, level_, kPositive),
      number_setting({"rate", "", "NUMBER", ""}, rate_, {0, 1e9, "a number of at least 0"}),
      text_setting({"kube-file", "", "FILE", ""}, file_),
      list_setting({"names", "", "LIST", ""}, names_),
      switches_setting({"gates", "", "LIST", ""}, gates_),
  };
};

struct Row {
  const char* name;
  Strings arguments;
  const char* flag;
  const char* value;
};

TEST_F(ParseCommandLine, accepts_flags_in_every_pflag_form) {
  for (const Row& row : {
           Row{"a value behind =", {"--kube-file=a"}, "kube-file", "a"},
           Row{"a value as the next argument", {"--kube-file", "a"}, "kube-file", "a"},
           Row{"a value may hold =", {"--kube-file=a=b"}, "kube-file", "a=b"},
           Row{"an empty value", {"--kube-file="}, "kube-file", ""},
           Row{"a next argument may begin with a dash", {"--kube-file", "-"}, "kube-file", "-"},
           Row{"underscores stand for dashes", {"--kube_file=a"}, "kube-file", "a"},
           Row{"a switch alone is on", {"--leader-elect"}, "leader-elect", "true"},
           Row{"a switch that is turned off", {"--leader-elect=false"}, "leader-elect", "false"},
           Row{"a letter with =", {"-v=4"}, "v", "4"},
           Row{"a letter with a value behind it", {"-v4"}, "v", "4"},
           Row{"a letter and the next argument", {"-v", "4"}, "v", "4"},
           Row{"the last one wins", {"-v=4", "--v=5"}, "v", "5"},
           Row{"a list is put together", {"--names=a,b", "--names=c"}, "names", "a,b,c"},
           Row{"empty parts of a list are none", {"--names=,a,"}, "names", "a"},
           Row{"so are switches by name",
               {"--gates=A=true,B=false", "--gates=B=true"},
               "gates",
               "A=true,B=true"},
       }) {
    const auto line = parse_command_line(table_, row.arguments);
    ASSERT_TRUE(line) << row.name << ": " << line.error();
    EXPECT_EQ(value_of(*line, row.flag), row.value) << row.name;
  }
}

TEST_F(ParseCommandLine, gives_switch_no_next_argument) {
  const auto line = parse_command_line(table_, {"--leader-elect", "false"});
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(value_of(*line, "leader-elect"), "true");
  EXPECT_THAT(line->words, ElementsAre("false"));
}

TEST_F(ParseCommandLine, treats_arguments_after_two_dashes_as_words) {
  const auto line = parse_command_line(table_, {"a", "--", "--names=a", "-h"});
  ASSERT_TRUE(line) << line.error();
  EXPECT_THAT(line->words, ElementsAre("a", "--names=a", "-h"));
  EXPECT_FALSE(line->wants_help);
}

TEST_F(ParseCommandLine, accepts_flags_of_others_with_values) {
  const auto line = parse_command_line(
      table_, {"--cluster-cidr=10.0.0.0/8", "--cert_dir", "/a", "--profiling", "--rate=3", "b"},
      type_of_other);
  ASSERT_TRUE(line) << line.error();
  Strings others;
  for (const OtherFlag& flag : line->others) others.push_back(flag.shown + "=" + flag.value);
  EXPECT_THAT(others,
              ElementsAre("--cluster-cidr=10.0.0.0/8", "--cert_dir=/a", "--profiling=true"));
  EXPECT_EQ(value_of(*line, "rate"), "3");
  EXPECT_THAT(line->words, ElementsAre("b"));
}

TEST_F(ParseCommandLine, rejects_flags_of_others_where_none_are_accepted) {
  EXPECT_FALSE(parse_command_line(table_, {"--profiling"}));
}

TEST_F(ParseCommandLine, requires_values_of_flags_of_others) {
  const auto line = parse_command_line(table_, {"--cert_dir"}, type_of_other);
  ASSERT_FALSE(line);
  EXPECT_THAT(line.error(), HasSubstr("--cert_dir: expected a value after it"));
}

struct BadRow {
  const char* name;
  Strings arguments;
  const char* message;
};

TEST_F(ParseCommandLine, explains_mistake_in_one_line) {
  for (const BadRow& row : {
           BadRow{"a slip of the pen", {"--kube-flie=a"}, "did you mean --kube-file?"},
           BadRow{"capitals", {"--KUBE-FILE=a"}, "did you mean --kube-file?"},
           BadRow{"a flag of nowhere", {"--zzzzzzzzzzzz"}, "unknown flag --zzzzzzzzzzzz; --help"},
           BadRow{"no value", {"--rate"}, "--rate: expected a number of at least 0 after it"},
           BadRow{"no number", {"--rate=fast"}, "expected a number of at least 0, got \"fast\""},
           BadRow{"half a number", {"--rate=5x"}, "got \"5x\""},
           BadRow{"no finite number", {"--rate=inf"}, "got \"inf\""},
           BadRow{
               "no whole number", {"-v=1.5"}, "-v: expected a whole number from 1 to 2147483647"},
           BadRow{"neither true nor false", {"--leader-elect=maybe"}, "expected true or false"},
           BadRow{"a gate without a value", {"--gates=A"}, "expected NAME=true or NAME=false"},
       }) {
    const auto line = parse_command_line(table_, row.arguments);
    ASSERT_FALSE(line) << row.name;
    EXPECT_THAT(line.error(), HasSubstr(row.message)) << row.name;
    EXPECT_EQ(line.error().find('\n'), std::string::npos) << row.name;
  }
}

TEST_F(ParseCommandLine, hides_value_of_unknown_flag) {
  const auto line = parse_command_line(table_, {"--token=very-secret"});
  ASSERT_FALSE(line);
  EXPECT_THAT(line.error(), Not(HasSubstr("very-secret")));
}

TEST(NumberSetting, refuses_value_that_its_target_cannot_hold) {
  std::int16_t target = 1;
  const Setting setting = number_setting({"n", "", "NUMBER", ""}, target, kWhole);
  EXPECT_EQ(setting.apply(Value(std::int64_t{65537})),
            "expected a whole number from 0 to 9007199254740992, got \"65537\"");
  EXPECT_EQ(target, 1);
  EXPECT_EQ(setting.apply(Value(std::int64_t{32767})), "");
  EXPECT_EQ(target, 32767);
}

}  // namespace
}  // namespace dcm::options
