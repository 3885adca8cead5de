#include "options/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/help.hpp"

namespace dcm::options {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A program with a row of each further condition, and one command.
class ReadArguments : public testing::Test {
 protected:
  std::expected<Arguments, Exit> read(Strings arguments) const {
    arguments.insert(arguments.begin(), "--root=/");
    return read_arguments(usage_, table_, arguments);
  }
  std::string why(Strings arguments) const {
    const auto read = this->read(std::move(arguments));
    if (read) return "(no problem)";
    EXPECT_EQ(read.error().status, 2);
    return read.error().text;
  }

  std::string root_;
  std::string file_;
  std::string small_;
  Strings words_ = {"a"};
  std::vector<std::size_t> numbers_ = {7};
  bool real_ = false;
  const Usage usage_ = {.name = "program",
                        .version = "1.2",
                        .summary = "Does it.",
                        .commands = {{"forget", "NAME", "Forgets it."}}};
  const Settings table_ = {
      required(checked(text_setting({"root", "", "DIR", "A folder."}, root_), why_no_folder)),
      checked(text_setting({"file", "", "FILE", "A file."}, file_), why_no_file),
      checked(list_setting({"words", "", "LIST", "Words."}, words_),
              [](const std::string& word) { return word == "a" ? "" : "no a: " + word; }),
      numbers_setting({"numbers", "", "LIST", "Numbers."}, numbers_),
      text_setting({"small", "", "NAME", "Small."}, small_),
      excluding(switch_setting({"real", "", "", "Real."}, real_), {"small", "file"}),
  };
};

TEST_F(ReadArguments, stores_values_and_returns_words) {
  const auto read = this->read({"forget", "--words=a,a", "--numbers=1,2", "--file=/dev/null", "x"});
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_THAT(read->line.words, ElementsAre("forget", "x"));
  EXPECT_THAT(words_, ElementsAre("a", "a"));
  EXPECT_THAT(numbers_, ElementsAre(1, 2));
  EXPECT_EQ(file_, "/dev/null");
  EXPECT_EQ(root_, "/");
}

TEST_F(ReadArguments, leaves_defaults_that_no_check_would_accept) {
  ASSERT_TRUE(read({}));
  EXPECT_THAT(file_, IsEmpty());
  EXPECT_THAT(numbers_, ElementsAre(7));
  EXPECT_THAT(words_, ElementsAre("a"));
}

TEST_F(ReadArguments, can_be_given_an_empty_list_of_numbers) {
  ASSERT_TRUE(read({"--numbers="}));
  EXPECT_THAT(numbers_, IsEmpty());
}

struct BadRow {
  Strings arguments;
  const char* message;
};

TEST_F(ReadArguments, explains_mistake_in_one_line) {
  for (const BadRow& row : {
           BadRow{{"--file=/no/such"}, "program: --file: there is no file \"/no/such\""},
           BadRow{{"--file=/dev"}, "program: --file: there is no file \"/dev\""},
           BadRow{{"--file="}, "program: --file: there is no file \"\""},
           BadRow{{"--root=/dev/null"}, "program: --root: there is no folder \"/dev/null\""},
           BadRow{{"--words=a,b"}, "program: --words: no a: b"},
           BadRow{{"--words="}, "program: --words: no a: "},
           BadRow{{"--numbers=1,-1"},
                  "program: --numbers: expected whole numbers of at least 0, separated by commas, "
                  "got \"-1\""},
           BadRow{{"--numbers=1.5"}, "got \"1.5\""},
           BadRow{{"--small=s", "--real"}, "program: --real: cannot be combined with --small"},
           BadRow{{"--real", "--file=/dev/null"}, "--real: cannot be combined with --file"},
           BadRow{{"--reel"}, "program: unknown flag --reel; did you mean --real?"},
           BadRow{{"froget"}, "program: unexpected argument \"froget\"; did you mean forget?"},
           BadRow{{"a\nb"}, "unexpected argument \"a b\"; --help lists flags and commands"},
       }) {
    EXPECT_THAT(why(row.arguments), HasSubstr(row.message));
  }
}

TEST_F(ReadArguments, needs_what_is_required) {
  const auto read = read_arguments(usage_, table_, {"--small=s"});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text, "program: --root: must be given");
}

TEST_F(ReadArguments, suggests_no_command_if_it_has_none) {
  const auto read = read_arguments({.name = "program"}, {}, {"what"});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text, "program: unexpected argument \"what\"; --help lists flags");
}

TEST_F(ReadArguments, prints_help_and_version_before_anything_is_required) {
  EXPECT_EQ(read_arguments(usage_, table_, {"--version"}).error().text, "program 1.2\n");
  const Exit help = read_arguments(usage_, table_, {"-h"}).error();
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.text, StartsWith("Does it.\n\nUsage:\n  program [flags]\n  program forget NAME\n"
                                    "\nFlags:\n\n      --root DIR\n"
                                    "                A folder. Required.\n"));
  EXPECT_THAT(help.text, HasSubstr("Numbers. (default 7)\n"));
  EXPECT_THAT(help.text, HasSubstr("\nGlobal flags:\n\n      -h, --help\n"));
  EXPECT_THAT(help.text, HasSubstr("\nCommands:\n\n      forget NAME\n"));
}

TEST_F(ReadArguments, has_no_version_flag_without_version) {
  Usage usage = usage_;
  usage.version.clear();
  const auto read = read_arguments(usage, table_, {"--root=/", "--version"});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().status, 2);
  EXPECT_EQ(read.error().text, "program: unknown flag --version; --help lists all");
}

TEST_F(ReadArguments, shows_words_and_notes_of_command) {
  const Usage usage = {
      .name = "program forget", .summary = "Forgets.", .synopsis = "NAME", .notes = "\nNote.\n"};
  const std::string help = usage_help(usage, table_);
  EXPECT_THAT(help, HasSubstr("Usage:\n  program forget NAME [flags]\n"));
  EXPECT_THAT(help, testing::EndsWith("\nNote.\n"));
  EXPECT_THAT(help, Not(HasSubstr("--version")));
}

TEST(Wrap, breaks_only_at_blanks) {
  EXPECT_EQ(wrap("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrap("incomprehensible word", 2, 9), "  incomprehensible\n  word\n");
  EXPECT_EQ(wrap("", 2, 9), "");
}

}  // namespace
}  // namespace dcm::options
