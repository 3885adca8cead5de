#pragma once

#include <map>
#include <memory>
#include <vector>

#include <boost/json/object.hpp>

#include "allocation/allocator.hpp"

namespace dcm::allocation_judge {

// The objects in a request to allocate.
class World {
 public:
  explicit World(const boost::json::object& request);

  allocation::Allocator allocator(cel::SelectorCompiler& compiler) const;

  const allocation::Node& node() const { return node_; }
  cel::SelectorFeatures selector_features() const;

 private:
  void take_capacity(const boost::json::value& json);

  allocation::Features features_;
  std::map<api::InternedString, api::ObjectPtr<allocation::DeviceClass>> classes_;
  allocation::SliceIndex slices_;
  std::vector<allocation::Claim> claims_;
  std::vector<allocation::ClaimView> views_;
  allocation::Node node_;
  allocation::Usage usage_;
};

// Decodes `slices` of a request like the library.
std::vector<allocation::SlicePtr> slices_of(const boost::json::object& request);

}  // namespace dcm::allocation_judge
