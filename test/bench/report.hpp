// The output of a benchmark: one row per figure, ours next to another build's and the reference's.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dcm::bench {

enum class Who { ours, before, reference };
const char* name(Who who);

void print_head();
// The subject of the following rows.
void print_heading(const std::string& what);
// Rows of costs, where less is better, are drawn as bars; other rows are text only.
enum class Drawn { no, yes };
// A row without a figure of ours is omitted. Counts have no unit.
void print_row(const std::string& what, const std::map<Who, double>& figures, const char* unit,
               Drawn drawn = Drawn::yes);

// Throws std::runtime_error.
void must(bool holds, const char* what);

// Seconds of real time that `work` takes.
double seconds(const std::function<void()>& work);

// What to measure, from the command line: [NAME] [--pods=N] [--before=FILE]
// [--no-reference] [--json=FILE]
struct Wanted {
  std::string name;    // of a measurement; empty: all
  std::string before;  // another build of our manager, measured as well; empty: none
  bool reference = true;
  std::optional<int> pods;  // of the measurements waiting and known; nullopt: their own number
  std::string
      json;  // the drawn rows are appended to this file, one object per line; empty: no file
};
const Wanted& wanted();

// Runs the selected measurements in order. Returns the program's exit status.
using Measurements = std::vector<std::pair<std::string, void (*)()>>;
int run(const char* program, const Measurements& measurements, int argc, char** argv);

}  // namespace dcm::bench
