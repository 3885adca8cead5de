#include "test/bench/audit.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <stdexcept>

#include "test/support/kube.hpp"

namespace dcm::bench {
namespace {

namespace json = boost::json;
using support::at;
using support::text_at;

void for_each_line(const std::string& file, const std::function<void(const json::value&)>& visit) {
  std::ifstream lines(file);
  if (!lines) throw std::runtime_error("no audit log " + file);
  for (std::string line; std::getline(lines, line);) visit(json::parse(line));
}

// "2026-11-21T17:51:36.123456Z"
double seconds_of(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%lf", &year, &month, &day, &hour, &minute,
                  &second) != 6) {
    throw std::runtime_error("no time: " + text);
  }
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  return static_cast<double>(date.time_since_epoch().count()) * 86400 + hour * 3600 + minute * 60 +
         second;
}

}  // namespace

PodRequests read_pod_requests(const std::string& file, const std::string& caller) {
  PodRequests requests;
  for_each_line(file, [&](const json::value& line) {
    if (!text_at(line, "/userAgent").contains(caller)) return;
    const std::string resource = text_at(line, "/objectRef/resource");
    const std::string verb = text_at(line, "/verb");
    if (resource == "events") requests.events += verb == "create";
    if (resource != "pods" || text_at(line, "/objectRef/name").empty()) return;
    const double received = seconds_of(text_at(line, "/requestReceivedTimestamp"));
    if (requests.all++ == 0) requests.first = received;
    requests.first = std::min(requests.first, received);
    requests.last = std::max(requests.last, seconds_of(text_at(line, "/stageTimestamp")));
    const json::value& status = at(line, "/responseStatus/code");
    requests.deletes += verb == "delete" && status.is_int64() && status.as_int64() < 300;
  });
  return requests;
}

double read_rule_creation(const std::string& file) {
  double when = 0;
  for_each_line(file, [&](const json::value& line) {
    if (text_at(line, "/objectRef/resource") != "devicetaintrules") return;
    if (text_at(line, "/verb") != "create") return;
    when = seconds_of(text_at(line, "/requestReceivedTimestamp"));
  });
  return when;
}

}  // namespace dcm::bench
