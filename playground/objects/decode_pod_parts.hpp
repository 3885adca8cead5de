// Parts of the decoder of pods (decode.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "client/api/json/reader.hpp"
#include "playground/objects/objects.hpp"

namespace dcm::playground {

std::optional<api::PodPhase> phase_of(std::string_view text);

[[nodiscard]] bool read_pod_status(api::json::Reader& reader, api::json::value status, Pod& pod);

// Reads the requests of one pod's containers. Both must outlive it.
class ResourceReader {
 public:
  ResourceReader(api::json::Reader& reader, Pod& pod) : reader_(reader), pod_(pod) {}

  // A container or init container.
  [[nodiscard]] bool read_container(api::json::value item, Container& container);
  // Of the pod as a whole, or of its runtime: never extended resources.
  [[nodiscard]] bool read_other_amounts(api::json::value amounts);
  // At the end: whether it exceeds the capacity of a hollow node.
  void note_large();

 private:
  bool read_resources(api::json::value resources, Container& container);
  bool read_requests(api::json::value field, Container& container);
  bool read_port(api::json::value port);
  std::int64_t read_amount(std::string_view name, api::json::value field);
  void note_other_resource(std::string_view name);

  api::json::Reader& reader_;
  Pod& pod_;
  // In all containers, whether they run together or not.
  double cpus_ = 0;
  double memory_ = 0;
};

}  // namespace dcm::playground
