#include "cmd/dra-playground/demo/live_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

namespace dcm::playground {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string table_text(const Figures& figures, Duration elapsed) {
  const Tally& t = figures.tally;
  // Below 80 columns: a line that wraps would not be erased.
  return fmt::format(
      "{:5.1f}s       now                         | so far\n"
      "pods         {:4} pending {:4} running   | {:4} seen {:4} finished {:4} deleted\n"
      "claims       {:4} there   {:4} allocated | {:4} made {:4} named    {:4} deleted\n"
      "reservations {:4}                        | {:4} made {:4} released\n"
      "devices      {:4} in use  {:4} free      | {:4} allocations given back\n",
      seconds(elapsed), t.pods_pending, t.pods_running, t.pods_seen, t.pods_finished,
      t.pods_deleted, t.claims, t.claims_allocated, t.claims_made, t.names_written,
      t.claims_deleted, t.reservations, t.reserved, t.released, t.devices_in_use,
      figures.devices - std::min(figures.devices, t.devices_in_use), t.deallocated);
}

std::string line_text(const Figures& figures, Duration elapsed) {
  const Tally& t = figures.tally;
  return fmt::format(
      "{:5.1f}s  pods {:2} pending {:2} running {:2} ended | claims {:2} made {:2} allocated "
      "{:2} deleted | reservations {:2} | devices {:2} of {} in use\n",
      seconds(elapsed), t.pods_pending, t.pods_running, t.pods_finished + t.pods_deleted,
      t.claims_made, t.claims_allocated, t.claims_deleted, t.reservations, t.devices_in_use,
      figures.devices);
}

LiveTable::Output LiveTable::output_of(std::FILE* out) {
  return isatty(fileno(out)) == 1 ? Output::terminal : Output::plain;
}

void LiveTable::show(const Figures& figures, Duration elapsed) {
  const bool is_news = last_ != figures;
  last_ = figures;
  if (output_ == Output::plain) {
    if (is_news) std::fputs(line_text(figures, elapsed).c_str(), out_);
  } else {
    erase();
    drawn_ = table_text(figures, elapsed);
    std::fputs(drawn_.c_str(), out_);
  }
  std::fflush(out_);
}

void LiveTable::say(const std::string& line, Duration elapsed) {
  erase();
  fmt::print(out_, "{:5.1f}s  {}\n", seconds(elapsed), line);
  std::fputs(drawn_.c_str(), out_);
  std::fflush(out_);
}

// Moves up over the table, and clears from there on.
void LiveTable::erase() {
  const auto lines = std::ranges::count(drawn_, '\n');
  if (lines > 0) fmt::print(out_, "\x1b[{}A\x1b[J", lines);
}

}  // namespace dcm::playground
