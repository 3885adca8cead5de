#include "test/bench/report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

namespace dcm::bench {

const char* name(Who who) {
  return who == Who::ours ? "ours" : "reference";
}

void print_head() {
  fmt::print("{:<58} {:>10} {:>10} {:>7}\n", "", "ours", "reference", "ratio");
}

void print_row(const std::string& what, const std::map<Who, double>& figures, const char* unit) {
  const double ours = figures.at(Who::ours);
  fmt::print("{:<58} {:>10.3f}", what, ours);
  if (const auto reference = figures.find(Who::reference); reference != figures.end()) {
    fmt::print(" {:>10.3f} {:>7.3f}", reference->second, ours / reference->second);
  }
  fmt::print("  {}\n", unit);
  std::fflush(stdout);
}

void must(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run(const char* program, const Measurements& measurements, int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  const auto is_wanted = [&](const auto& each) { return wanted.empty() || wanted == each.first; };
  if (std::ranges::none_of(measurements, is_wanted)) {
    std::string names;
    for (const auto& [each, measure] : measurements) names += " " + each;
    fmt::print(stderr, "{}: unknown measurement {}; there are:{}\n", program, wanted, names);
    return 2;
  }
  print_head();
  try {
    for (const auto& each : measurements) {
      if (is_wanted(each)) each.second();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 1;
  }
  return 0;
}

}  // namespace dcm::bench
