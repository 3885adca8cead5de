#include "playground/demo/live_table.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace dcm::playground {
namespace {

std::string wide_table(const Figures& figures, Duration elapsed) {
  const Tally& t = figures.tally;
  return fmt::format(
      "{:5.1f}s       now                         | so far\n"
      "pods         {:4} pending {:4} running   | {:4} seen {:4} finished {:4} deleted\n"
      "claims       {:4} present {:4} allocated | {:4} made {:4} named    {:4} deleted\n"
      "reservations {:4}                        | {:4} made {:4} released\n"
      "devices      {:4} in use  {:4} free      | {:4} allocations released\n",
      runtime::in_seconds(elapsed), t.pods_pending, t.pods_running, t.pods_seen, t.pods_finished,
      t.pods_deleted, t.claims, t.claims_allocated, t.claims_made, t.names_written,
      t.claims_deleted, t.reservations, t.reserved, t.released, t.devices_in_use,
      figures.devices - std::min(figures.devices, t.devices_in_use), t.deallocated);
}

std::string narrow_table(const Figures& figures, Duration elapsed) {
  const Tally& t = figures.tally;
  return fmt::format(
      "{:5.1f}s\n"
      "pods    {:4} pending {:4} running\n"
      "claims  {:4} present {:4} allocated\n"
      "devices {:4} in use  {:4} free\n"
      "so far  {:4} pods    {:4} claims made\n"
      "        {:4} ended   {:4} deleted\n",
      runtime::in_seconds(elapsed), t.pods_pending, t.pods_running, t.claims, t.claims_allocated,
      t.devices_in_use, figures.devices - std::min(figures.devices, t.devices_in_use), t.pods_seen,
      t.claims_made, t.pods_finished + t.pods_deleted, t.claims_deleted);
}

std::string bold_first_line(const std::string& table) {
  return "\x1b[1m" + table.substr(0, table.find('\n')) + "\x1b[0m" + table.substr(table.find('\n'));
}

}  // namespace

// A wrapped line would not be erased.
std::string table_text(const Figures& figures, Duration elapsed, std::size_t columns) {
  return columns < 80 ? narrow_table(figures, elapsed) : wide_table(figures, elapsed);
}

std::string line_text(const Figures& figures, Duration elapsed) {
  const Tally& t = figures.tally;
  return fmt::format(
      "{:5.1f}s  pods {:2} pending {:2} running {:2} ended | claims {:2} made {:2} allocated "
      "{:2} deleted | reservations {:2} | devices {:2} of {} in use\n",
      runtime::in_seconds(elapsed), t.pods_pending, t.pods_running,
      t.pods_finished + t.pods_deleted, t.claims_made, t.claims_allocated, t.claims_deleted,
      t.reservations, t.devices_in_use, figures.devices);
}

LiveTable::Output LiveTable::output_of(std::FILE* out) {
  if (isatty(fileno(out)) != 1) return Output::plain;
  const char* const refused = std::getenv("NO_COLOR");
  return refused != nullptr && *refused != '\0' ? Output::terminal : Output::colours;
}

std::size_t LiveTable::columns_of(std::FILE* out) {
  winsize size{};
  const bool is_known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

void LiveTable::show(const Figures& figures, Duration elapsed) {
  const bool is_news = last_ != figures;
  last_ = figures;
  if (output_ == Output::plain) {
    if (is_news) std::fputs(line_text(figures, elapsed).c_str(), out_);
  } else {
    erase();
    drawn_ = table_text(figures, elapsed, columns_of(out_));
    if (output_ == Output::colours) drawn_ = bold_first_line(drawn_);
    std::fputs(drawn_.c_str(), out_);
  }
  std::fflush(out_);
}

void LiveTable::say(const std::string& line, Duration elapsed) {
  erase();
  const bool is_coloured = output_ == Output::colours;
  fmt::print(out_, "{}{:5.1f}s{}  {}\n", is_coloured ? "\x1b[36m" : "",
             runtime::in_seconds(elapsed), is_coloured ? "\x1b[0m" : "", line);
  std::fputs(drawn_.c_str(), out_);
  std::fflush(out_);
}

// Moves up over the table, and clears from there on.
void LiveTable::erase() {
  const auto lines = std::ranges::count(drawn_, '\n');
  if (lines > 0) fmt::print(out_, "\x1b[{}A\x1b[J", lines);
}

}  // namespace dcm::playground
