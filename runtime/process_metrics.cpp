// process_* as Prometheus' client libraries define them, from /proc.
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

#include "runtime/metrics.hpp"
#include "runtime/open_files.hpp"

namespace dcm::runtime {
namespace {

// The numbers of /proc/self/stat behind the command name (which may hold blanks); see proc(5).
struct ProcessStat {
  double cpu_seconds = 0;
  double start_ticks = 0;
  double virtual_bytes = 0;
  double resident_pages = 0;
};

ProcessStat read_process_stat() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state;
  fields >> state;
  ProcessStat stat;
  const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  double value = 0;
  for (int field = 4; fields >> value; ++field) {
    if (field == 14 || field == 15) stat.cpu_seconds += value / ticks_per_second;
    if (field == 22) stat.start_ticks = value;
    if (field == 23) stat.virtual_bytes = value;
    if (field == 24) stat.resident_pages = value;
  }
  return stat;
}

double seconds_of(clockid_t clock) {
  timespec value{};
  clock_gettime(clock, &value);
  return static_cast<double>(value.tv_sec) + static_cast<double>(value.tv_nsec) / 1e9;
}

// /proc/stat has it as well, but a systemd unit with ProcSubset=pid does not see that file.
double boot_time() {
  return seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME);
}

double count_open_files() {
  std::error_code ignored;
  const auto first = std::filesystem::directory_iterator("/proc/self/fd", ignored);
  return static_cast<double>(std::distance(begin(first), end(first)));
}

}  // namespace

Refresh register_process_metrics(MetricsRegistry& metrics) {
  // A counter cannot be set in prometheus-cpp, so the difference is added.
  Counter& cpu = metrics.counter("process_cpu_seconds_total",
                                 "Total user and system CPU time spent in seconds.");
  Gauge& resident =
      metrics.gauge("process_resident_memory_bytes", "Resident memory size in bytes.");
  Gauge& virtual_size =
      metrics.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.");
  Gauge& start = metrics.gauge("process_start_time_seconds",
                               "Start time of the process since unix epoch in seconds.");
  Gauge& open_files = metrics.gauge("process_open_fds", "Number of open file descriptors.");
  Gauge& max_files = metrics.gauge("process_max_fds", "Maximum number of open file descriptors.");
  const double booted = boot_time();
  return metrics.before_exposition(
      [&cpu, &resident, &virtual_size, &start, &open_files, &max_files, booted] {
        const ProcessStat stat = read_process_stat();
        cpu.Increment(std::max(0.0, stat.cpu_seconds - cpu.Value()));
        resident.Set(stat.resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
        virtual_size.Set(stat.virtual_bytes);
        start.Set(booted + stat.start_ticks / static_cast<double>(sysconf(_SC_CLK_TCK)));
        open_files.Set(count_open_files());
        max_files.Set(static_cast<double>(open_files_max()));
      });
}

}  // namespace dcm::runtime
