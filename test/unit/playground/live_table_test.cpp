#include "playground/demo/live_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <gmock/gmock.h>
#include <pty.h>
#include <unistd.h>

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const Figures kFigures{{.pods_pending = 3, .pods_running = 2, .devices_in_use = 5}, 8};

// The output of a table.
class Screen {
 public:
  Screen() : file_(open_memstream(&text_, &size_)) {}
  ~Screen() {
    std::fclose(file_);
    std::free(text_);
  }
  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

TEST(LiveTable, shows_objects_and_free_devices) {
  const std::string table = table_text(kFigures, 1500ms);
  EXPECT_THAT(table, HasSubstr("1.5s"));
  EXPECT_THAT(table, HasSubstr("3 pending    2 running"));
  EXPECT_THAT(table, HasSubstr("5 in use     3 free"));
}

TEST(LiveTable, wraps_no_line) {
  Figures many{{.pods_pending = 9999,
                .pods_running = 9999,
                .pods_seen = 9999,
                .pods_finished = 9999,
                .pods_deleted = 9999},
               9999};
  std::istringstream lines(table_text(many, 1h));
  for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 80U) << line;
}

TEST(LiveTable, wraps_no_line_on_narrow_terminal) {
  std::istringstream lines(table_text({{.pods_pending = 9999, .claims = 9999}, 9999}, 1h, 79));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 38U) << line;
}

TEST(LiveTable, keeps_lines_with_colours) {
  Screen screen;
  LiveTable table(screen.file(), LiveTable::Output::colours);
  table.show(kFigures, 1s);
  EXPECT_THAT(screen.text(), testing::StartsWith("\x1b[1m"));
  EXPECT_EQ(std::ranges::count(screen.text(), '\n'),
            std::ranges::count(table_text(kFigures, 1s), '\n'));
}

TEST(LiveTable, writes_plain_line_only_for_news) {
  Screen screen;
  LiveTable table(screen.file(), LiveTable::Output::plain);
  table.show(kFigures, 1s);
  table.show(kFigures, 2s);
  EXPECT_EQ(screen.text(), line_text(kFigures, 1s));
  EXPECT_THAT(screen.text(), Not(HasSubstr("\x1b")));
}

TEST(LiveTable, redraws_table_on_terminal) {
  Screen screen;
  LiveTable table(screen.file(), LiveTable::Output::terminal);
  table.show(kFigures, 1s);
  EXPECT_EQ(screen.text(), table_text(kFigures, 1s));
  table.show(kFigures, 2s);
  const auto lines = std::ranges::count(table_text(kFigures, 1s), '\n');
  EXPECT_EQ(screen.text(), table_text(kFigures, 1s) + "\x1b[" + std::to_string(lines) + "A\x1b[J" +
                               table_text(kFigures, 2s));
}

TEST(LiveTable, keeps_messages_above_table) {
  Screen screen;
  LiveTable table(screen.file(), LiveTable::Output::terminal);
  table.show(kFigures, 1s);
  table.say("now", 2s);
  EXPECT_THAT(screen.text(), testing::EndsWith("  2.0s  now\n" + table_text(kFigures, 1s)));
}

// Both ends of a terminal.
class Terminal {
 public:
  Terminal() {
    EXPECT_EQ(openpty(&controller_, &end_, nullptr, nullptr, nullptr), 0);
    file_ = fdopen(end_, "w");
  }
  ~Terminal() {
    std::fclose(file_);
    close(controller_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::FILE* file() { return file_; }

 private:
  int controller_ = -1;
  int end_ = -1;
  std::FILE* file_ = nullptr;
};

// no-color.org: "when present and not an empty string (regardless of its value)".
TEST(LiveTable, uses_colours_on_terminal_unless_no_color_is_set) {
  Terminal terminal;
  unsetenv("NO_COLOR");
  EXPECT_EQ(LiveTable::output_of(terminal.file()), LiveTable::Output::colours);
  setenv("NO_COLOR", "", 1);
  EXPECT_EQ(LiveTable::output_of(terminal.file()), LiveTable::Output::colours);
  for (const char* value : {"1", "0", "false"}) {
    setenv("NO_COLOR", value, 1);
    EXPECT_EQ(LiveTable::output_of(terminal.file()), LiveTable::Output::terminal) << value;
  }
  unsetenv("NO_COLOR");
}

TEST(LiveTable, writes_no_colour_codes_without_colours) {
  Screen screen;
  LiveTable table(screen.file(), LiveTable::Output::terminal);
  table.show(kFigures, 1s);
  table.say("a line", 2s);
  EXPECT_THAT(screen.text(), Not(testing::ContainsRegex("\x1b\\[[0-9;]*m")));
}

TEST(LiveTable, treats_file_as_no_terminal) {
  Screen screen;
  EXPECT_EQ(LiveTable::output_of(screen.file()), LiveTable::Output::plain);
}

}  // namespace
}  // namespace dcm::playground
