// The object around a default: what stands inside an embedded object's metadata is valid or not
// only as part of that object (k8s.io/apiextensions-apiserver pkg/apiserver/schema/defaulting).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// The steps from an object to one of its values.
class Surroundings {
 public:
  Surroundings member(std::string name) const { return with(std::move(name)); }
  Surroundings item() const { return with(std::nullopt); }

  // The object that has nothing but `value` there: {"metadata": {"name": "x"}}. `value` itself if
  // there are no steps.
  Json around(Json value) const;
  // The value there; null if there is none.
  const Json* find_in(const Json& object) const;

 private:
  using Step = std::optional<std::string>;  // the name of a member, or the first item of a list

  Surroundings with(Step step) const;

  std::vector<Step> steps_;
};

}  // namespace dcm::apiserver
