// The output of a benchmark: one row for each figure, ours next to the reference's.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dcm::bench {

enum class Who { ours, reference };
const char* name(Who who);

void print_head();
void print_row(const std::string& what, const std::map<Who, double>& figures, const char* unit);

// Throws std::runtime_error.
void must(bool holds, const char* what);

// Seconds of real time that `work` takes.
double seconds(const std::function<void()>& work);

// Runs the measurements of that name, or all in their order where no name is given. Returns the
// exit status of the program.
using Measurements = std::vector<std::pair<std::string, void (*)()>>;
int run(const char* program, const Measurements& measurements, int argc, char** argv);

}  // namespace dcm::bench
