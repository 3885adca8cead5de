// The requests of pods' containers.
#include <algorithm>
#include <limits>

#include "cel/kubernetes/quantity.hpp"
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

}  // namespace

// The server sets a missing request to the limit. Invalid quantities are infinite.
bool ResourceReader::read_amount(std::string_view name, const Source& from, std::int64_t& out) {
  std::string_view text;
  if (!from.number_or_text(text)) return false;
  const auto amount = cel::Quantity::parse_stored(text);
  double number = std::numeric_limits<double>::infinity();
  if (amount) number = amount->sign() > 0 ? amount->as_approximate_float() : 0;
  if (name == "cpu") cpus_ += number;
  if (name == "memory") memory_ += number;
  out = amount ? allocation::whole_amount(*amount) : std::numeric_limits<std::int64_t>::max();
  return true;
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
    allocation::ResourceRequest& request = container.requests.emplace_back(std::string(name));
    return read_amount(name, part, request.amount);
  });
  if (!has_extended) container.requests = {};
  std::ranges::sort(container.requests, {}, &allocation::ResourceRequest::name);
  return is_read;
}

bool ResourceReader::read_other_amounts(const Source& from) {
  return from.each_field([&](std::string_view name, const Source& part) {
    note_other_resource(name);
    std::int64_t amount = 0;
    return read_amount(name, part, amount);
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
