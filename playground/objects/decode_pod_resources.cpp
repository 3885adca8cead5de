// The requests of pods' containers.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "playground/objects/decode_pod_parts.hpp"
#include "playground/objects/unknown.hpp"

namespace dcm::playground {
namespace {

using api::json::Reader;
using api::json::value;

bool read_claim_use(Reader& reader, value item, ClaimUse& use) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, use.name);
    if (key == "request") return reader.text(field, use.request);
    return true;
  });
}

// The room of a hollow node for each of its pods (bodies.cpp): larger pods are not scheduled, since
// nothing counts what is left.
constexpr double kCpusMax = 100;
constexpr double kMemoryMax = 100.0 * (1 << 30);

// A quantity ("1500m", "1.5Gi", "1e3"); invalid ones are infinite.
double amount_of(value field) {
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
std::int64_t ResourceReader::read_amount(std::string_view name, value field) {
  const double amount = amount_of(field);
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

bool ResourceReader::read_requests(value field, Container& container) {
  bool has_extended = false;
  const bool is_read = reader_.each_field(field, [&](std::string_view name, value part) {
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

bool ResourceReader::read_resources(value resources, Container& container) {
  return reader_.each_field(resources, [&](std::string_view key, value field) {
    if (key == "requests") return read_requests(field, container);
    if (key != "claims") return true;
    return reader_.each_item(field, [&](value item) {
      return read_claim_use(reader_, item, container.claims.emplace_back());
    });
  });
}

bool ResourceReader::read_other_amounts(value amounts) {
  return reader_.each_field(amounts, [&](std::string_view name, value part) {
    note_other_resource(name);
    read_amount(name, part);
    return true;
  });
}

// A host port is for one pod.
bool ResourceReader::read_port(value port) {
  return reader_.each_field(port, [&](std::string_view key, value field) {
    if (key != "hostPort") return true;
    std::int64_t number = 0;
    if (!reader_.integer(field, number)) return false;
    if (number != 0) note_unknown(pod_.unsupported, key);
    return true;
  });
}

bool ResourceReader::read_container(value item, Container& container) {
  return reader_.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader_.text(field, container.name);
    if (key == "image") return reader_.text(field, container.image);
    if (key == "resources") return read_resources(field, container);
    if (key == "restartPolicy") {
      std::string_view policy;
      if (!reader_.view(field, policy)) return false;
      container.is_sidecar = policy == "Always";
      return true;
    }
    if (key != "ports") return true;
    return reader_.each_item(field, [&](value port) { return read_port(port); });
  });
}

}  // namespace dcm::playground
