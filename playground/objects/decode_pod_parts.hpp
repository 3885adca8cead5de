// Parts of the decoder of pods (decode.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "client/api/json/source.hpp"
#include "playground/objects/objects.hpp"

namespace dcm::playground {

[[nodiscard]] bool read_pod_status(const api::json::Source& from, Pod& pod);

// Reads the requests of one pod's containers. The pod must outlive it.
class ResourceReader {
 public:
  explicit ResourceReader(Pod& pod) : pod_(pod) {}

  // Reads a container or init container.
  [[nodiscard]] bool read_container(const api::json::Source& from, Container& container);
  // Reads requests of the pod as a whole, or of its runtime: never extended resources.
  [[nodiscard]] bool read_other_amounts(const api::json::Source& from);
  // At the end: records whether the pod exceeds the capacity of a hollow node.
  void note_large();

 private:
  bool read_requests(const api::json::Source& from, Container& container);
  [[nodiscard]] bool read_amount(std::string_view name, const api::json::Source& from,
                                 std::int64_t& out);
  void note_other_resource(std::string_view name);

  Pod& pod_;
  // Sums over all containers, whether they run together or not.
  double cpus_ = 0;
  double memory_ = 0;
};

}  // namespace dcm::playground
