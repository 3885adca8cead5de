#include "test/bench/report.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <span>
#include <stdexcept>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace dcm::bench {
namespace {

Wanted given;
std::string heading;

int count_of(const std::string& flag) {
  const char* const end = flag.data() + flag.size();
  int count = 0;
  const auto [parsed, error] = std::from_chars(flag.data() + flag.find('=') + 1, end, count);
  must(error == std::errc() && parsed == end && count > 0, "--pods needs a number from 1 on");
  return count;
}

// Throws std::runtime_error.
void read_flags(int argc, char** argv) {
  for (const std::string flag : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    if (flag.starts_with("--before=")) {
      given.before = flag.substr(flag.find('=') + 1);
    } else if (flag == "--no-reference") {
      given.reference = false;
    } else if (flag.starts_with("--pods=")) {
      given.pods = count_of(flag);
    } else if (flag.starts_with("--json=")) {
      given.json = flag.substr(flag.find('=') + 1);
    } else if (flag.starts_with("-")) {
      throw std::runtime_error("unknown flag " + flag);
    } else {
      given.name = flag;
    }
  }
}

bool is_wanted(Who who) {
  if (who == Who::before) return !given.before.empty();
  return who == Who::ours || given.reference;
}

// For picture.py.
void write_row(const std::string& what, const std::map<Who, double>& figures, const char* unit) {
  boost::json::object row{{"of", heading}, {"what", what}, {"unit", unit}};
  boost::json::object& all = row["figures"].emplace_object();
  for (const auto& [who, figure] : figures) all[name(who)] = figure;
  std::ofstream(given.json, std::ios::app) << row << '\n';
}

}  // namespace

const Wanted& wanted() {
  return given;
}

const char* name(Who who) {
  if (who == Who::ours) return "ours";
  return who == Who::before ? "before" : "reference";
}

void print_head() {
  fmt::print("{:<58} {:>10}", "", name(Who::ours));
  for (const Who other : {Who::before, Who::reference}) {
    if (is_wanted(other)) fmt::print(" {:>10} {:>7}", name(other), "ratio");
  }
  fmt::print("\n");
}

void print_heading(const std::string& what) {
  heading = what;
  fmt::print("{}\n", what);
}

void print_row(const std::string& what, const std::map<Who, double>& figures, const char* unit,
               Drawn drawn) {
  if (!figures.contains(Who::ours)) return;
  const double ours = figures.at(Who::ours);
  fmt::print("  {:<56} {:>10.3f}", what, ours);
  for (const Who other : {Who::before, Who::reference}) {
    const auto figure = figures.find(other);
    if (figure == figures.end()) continue;
    fmt::print(" {:>10.3f} {:>7.3f}", figure->second, ours / figure->second);
  }
  fmt::print("  {}\n", unit);
  std::fflush(stdout);
  if (drawn == Drawn::yes && !given.json.empty()) write_row(what, figures, unit);
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
  try {
    read_flags(argc, argv);
    const auto is_meant = [](const auto& each) {
      return given.name.empty() || given.name == each.first;
    };
    must(std::ranges::any_of(measurements, is_meant), "there is no measurement of that name");
    print_head();
    for (const auto& each : measurements) {
      if (is_meant(each)) each.second();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 1;
  }
  return 0;
}

}  // namespace dcm::bench
