// The requests of pods' containers.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "playground/objects/decode_pod_parts.hpp"
#include "playground/objects/unknown.hpp"

namespace dcm::playground {

using api::row;
using api::rows;
using api::json::Source;

constexpr auto fields_of(const ClaimUse*) {
  return rows(row<"name">(&ClaimUse::name), row<"request">(&ClaimUse::request));
}

namespace {

// The room of a hollow node for each of its pods (bodies.cpp): larger pods are not scheduled, since
// nothing counts what is left.
constexpr double kCpusMax = 100;
constexpr double kMemoryMax = 100.0 * (1 << 30);

// A quantity ("1500m", "1.5Gi", "1e3"); invalid ones are infinite.
double amount_of(api::json::value field) {
  std::string_view text = field.raw_json_token();
  text.remove_suffix(text.size() - text.find_last_not_of(" \t\r\n") - 1);
  if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::numeric_limits<double>::infinity();
  const std::string_view suffix(end, text.data() + text.size());
  constexpr std::pair<std::string_view, double> kSuffixes[] = {
      {"", 1},          {"n", 1e-9},      {"u", 1e-6},      {"m", 1e-3},
      {"k", 1e3},       {"M", 1e6},       {"G", 1e9},       {"T", 1e12},
      {"P", 1e15},      {"E", 1e18},      {"Ki", 0x1.0p10}, {"Mi", 0x1.0p20},
      {"Gi", 0x1.0p30}, {"Ti", 0x1.0p40}, {"Pi", 0x1.0p50}, {"Ei", 0x1.0p60}};
  const auto* const found =
      std::ranges::find(kSuffixes, suffix, &std::pair<std::string_view, double>::first);
  return found == std::end(kSuffixes) ? std::numeric_limits<double>::infinity()
                                      : number * found->second;
}

}  // namespace

// The amount; 0 if it is no whole number. The server sets a missing request to the limit.
std::int64_t ResourceReader::read_amount(std::string_view name, const Source& from) {
  const double amount = amount_of(from.from());
  if (name == "cpu") cpus_ += amount;
  if (name == "memory") memory_ += amount;
  constexpr double kWholeMax = 0x1.0p53;
  const bool is_whole = amount >= 0 && amount < kWholeMax && amount == std::floor(amount);
  return is_whole ? static_cast<std::int64_t>(amount) : 0;
}

void ResourceReader::note_other_resource(std::string_view name) {
  if (name != "cpu" && name != "memory") {
    note_unknown(pod_.unsupported, "the resource " + std::string(name));
  }
}

void ResourceReader::note_large() {
  if (cpus_ > kCpusMax) note_unknown(pod_.unsupported, "a cpu request of more than 100");
  if (memory_ > kMemoryMax) {
    note_unknown(pod_.unsupported, "a memory request of more than 100Gi");
  }
}

bool ResourceReader::read_requests(const Source& from, Container& container) {
  bool has_extended = false;
  const bool is_read = from.each_field([&](std::string_view name, const Source& part) {
    if (allocation::is_extended_resource(name)) {
      has_extended = true;
    } else {
      note_other_resource(name);
    }
    container.requests.push_back({std::string(name), read_amount(name, part)});
    return true;
  });
  if (!has_extended) container.requests = {};
  std::ranges::sort(container.requests, {}, &allocation::ResourceRequest::name);
  return is_read;
}

bool ResourceReader::read_other_amounts(const Source& from) {
  return from.each_field([&](std::string_view name, const Source& part) {
    note_other_resource(name);
    read_amount(name, part);
    return true;
  });
}

bool ResourceReader::read_container(const Source& from, Container& container) {
  const auto requests = [this](const Source& part, Container& out) {
    return read_requests(part, out);
  };
  // Only one pod of a node can use a host port.
  const auto note_port = [this](std::int64_t number, Container&) {
    if (number != 0) note_unknown(pod_.unsupported, "hostPort");
  };
  const auto set_sidecar = [](api::Word policy, Container& out) {
    out.is_sidecar = policy == "Always";
  };
  return read_fields(
      from, container,
      rows(row<"name">(&Container::name), row<"image">(&Container::image),
           row<"resources">(rows(row<"requests">(requests), row<"claims">(&Container::claims))),
           row<"restartPolicy">(api::one<api::Word>(set_sidecar)),
           row<"ports">(api::items(rows(row<"hostPort">(api::one<std::int64_t>(note_port)))))));
}

}  // namespace dcm::playground
