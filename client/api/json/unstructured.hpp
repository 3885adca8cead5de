// An object of a kind that is known only at run time, like Go's unstructured.Unstructured.
//
//   auto& cache = manager.decoded_cache(kind, api::json::make_unstructured_decoder());
//   …
//   const std::string* spec = object->find("spec");   // hand it to a JSON library
//
// Such an object costs the memory of its text. A kind whose fields are known is read as a
// projection (projection.hpp), which keeps only what is used. An object with more than 150,000
// fields, labels and other items is an error.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/api/decoder.hpp"
#include "client/api/meta.hpp"

namespace dcm::api::json {

struct Unstructured {
  ObjectMeta meta;
  std::int64_t generation = 0;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::vector<std::string> finalizers;
  std::optional<ControllerRef> owner;
  // JSON texts, by name: "apiVersion", "kind", "spec", "data" and so on, all but `metadata`.
  std::map<std::string, std::string, std::less<>> fields;

  // Null if it is missing, or a JSON null.
  const std::string* find(std::string_view field) const;
};

std::unique_ptr<Decoder<Unstructured>> make_unstructured_decoder();

}  // namespace dcm::api::json
