#include "test/allocation/world.hpp"

#include <stdexcept>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "allocation/json/decode.hpp"
#include "client/api/json/document.hpp"

namespace dcm::allocation_judge {

using namespace dcm::allocation;

namespace {

template <class Fields, class T>
void read_object(const boost::json::value& json, T& out) {
  api::json::Document document(boost::json::serialize(json));
  const bool is_read = document.each_field([&](std::string_view key, api::json::value field) {
    return Fields().read_field({}, key, {document.reader(), field}, out);
  });
  if (!is_read) throw std::runtime_error(document.reader().error().message);
}

const boost::json::array& list_of(const boost::json::object& object, std::string_view name) {
  static const boost::json::array kNone;
  const auto* list = object.if_contains(name);
  return list != nullptr && list->is_array() ? list->as_array() : kNone;
}

Features features_of(const boost::json::object& request) {
  Features features;
  for (const auto& [name, is_on] : kFeatureGates) {
    features.*is_on = false;
    for (const auto& on : list_of(request, "features")) {
      if (std::string_view(on.as_string()) == name) features.*is_on = true;
    }
  }
  return features;
}

api::DeviceId id_of(const boost::json::value& json) {
  const auto text = [&](std::string_view name) {
    return std::string_view(json.at(name).as_string());
  };
  return {text("driver"), text("pool"), text("device")};
}

}  // namespace

std::vector<SlicePtr> slices_of(const boost::json::object& request) {
  std::vector<SlicePtr> slices;
  for (const auto& json : list_of(request, "slices")) {
    Slice slice;
    read_object<SliceFields>(json, slice);
    slices.emplace_back(std::move(slice));
  }
  return slices;
}

World::World(const boost::json::object& request) : features_(features_of(request)) {
  for (const auto& json : list_of(request, "classes")) {
    DeviceClass read;
    read_object<DeviceClassFields>(json, read);
    const InternedString name = read.meta.key.name;
    classes_[name] = api::ObjectPtr(std::move(read));
  }
  for (SlicePtr& slice : slices_of(request)) slices_.add(std::move(slice));
  for (const auto& json : list_of(request, "claims"))
    read_object<ClaimFields>(json, claims_.emplace_back());
  for (const Claim& claim : claims_) views_.push_back({claim.meta.key, claim.spec});
  if (const auto* json = request.if_contains("node")) read_object<NodeFields>(*json, node_);
  for (const auto& json : list_of(request, "allocatedDevices")) usage_.take_device(id_of(json));
  for (const auto& json : list_of(request, "allocatedShares")) usage_.take_share(id_of(json));
  for (const auto& json : list_of(request, "aggregatedCapacity")) take_capacity(json);
}

void World::take_capacity(const boost::json::value& json) {
  std::vector<NamedQuantity> amounts;
  for (const auto& [name, amount] : json.at("capacity").as_object()) {
    amounts.emplace_back(name, cel::Quantity::parse(std::string_view(amount.as_string())).value());
  }
  usage_.take_capacity(id_of(json), amounts);
}

cel::SelectorFeatures World::selector_features() const {
  return {.consumable_capacity = features_.consumable_capacity,
          .list_attributes = features_.list_type_attributes};
}

Allocator World::allocator(cel::SelectorCompiler& compiler) const {
  const auto find_class = [this](const std::string& name) {
    const auto found = classes_.find(name);
    return found == classes_.end() ? nullptr : found->second;
  };
  return {{slices_, usage_, {}, features_}, views_, find_class, compiler};
}

}  // namespace dcm::allocation_judge
