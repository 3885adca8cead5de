// The demo's figures as they change: a table redrawn in place on a terminal, one line per change
// elsewhere.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "playground/demo/ledger.hpp"

namespace dcm::playground {

struct Figures {
  Tally tally;
  std::size_t devices = 0;  // of the cluster
  friend bool operator==(const Figures&, const Figures&) = default;
};

// The table without colours or cursor movements; lines end with "\n". On a terminal with fewer than
// 80 columns, current figures are above the totals, and no line is longer than 38 columns.
std::string table_text(const Figures& figures, Duration elapsed, std::size_t columns = 80);
// The same as one line.
std::string line_text(const Figures& figures, Duration elapsed);

class LiveTable {
 public:
  // Colours are used only on terminals, and only if NO_COLOR (no-color.org) is not set.
  enum class Output { plain, terminal, colours };

  // `out` must outlive it.
  LiveTable(std::FILE* out, Output output) : out_(out), output_(output) {}
  static Output output_of(std::FILE* out);
  // The width of a terminal; 80 if unknown.
  static std::size_t columns_of(std::FILE* out);

  void show(const Figures& figures, Duration elapsed);
  // A permanent line above the table.
  void say(const std::string& line, Duration elapsed);

 private:
  void erase();

  std::FILE* out_;
  Output output_;
  std::optional<Figures> last_;
  std::string drawn_;  // the table shown on the terminal
};

}  // namespace dcm::playground
