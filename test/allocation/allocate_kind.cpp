#include <map>
#include <memory>
#include <stdexcept>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include "allocation/allocator.hpp"
#include "allocation/json/decode.hpp"
#include "allocation/json/encode.hpp"
#include "client/api/json/document.hpp"
#include "test/allocation/kinds.hpp"

namespace dcm::allocation_judge {
namespace {

using namespace dcm::allocation;

// Reads an object of the API as the library does.
template <class Fields, class T>
void read_object(const boost::json::value& json, T& out) {
  api::json::Document document(boost::json::serialize(json));
  const bool is_read = document.each_field([&](std::string_view key, api::json::value field) {
    return Fields().read_field(document.reader(), key, field, out);
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

struct World {
  explicit World(const boost::json::object& request) {
    for (const auto& json : list_of(request, "classes")) {
      auto read = std::make_shared<DeviceClass>();
      read_object<DeviceClassFields>(json, *read);
      classes[read->meta.key.name] = std::move(read);
    }
    for (const auto& json : list_of(request, "slices")) {
      auto slice = std::make_shared<Slice>();
      read_object<SliceFields>(json, *slice);
      slices.add(std::move(slice));
    }
    for (const auto& json : list_of(request, "claims"))
      read_object<ClaimFields>(json, claims.emplace_back());
    for (const Claim& claim : claims) views.push_back({claim.meta.key, claim.spec});
    if (const auto* json = request.if_contains("node")) read_object<NodeFields>(*json, node);
    for (const auto& json : list_of(request, "allocatedDevices")) usage.take_device(id_of(json));
    for (const auto& json : list_of(request, "allocatedShares")) usage.take_share(id_of(json));
    for (const auto& json : list_of(request, "aggregatedCapacity")) take_capacity(json);
  }

  void take_capacity(const boost::json::value& json) {
    std::vector<NamedQuantity> amounts;
    for (const auto& [name, amount] : json.at("capacity").as_object()) {
      amounts.emplace_back(name,
                           cel::Quantity::parse(std::string_view(amount.as_string())).value());
    }
    usage.take_capacity(id_of(json), amounts);
  }

  std::map<std::string, std::shared_ptr<const DeviceClass>> classes;
  SliceIndex slices;
  std::vector<Claim> claims;
  std::vector<ClaimView> views;
  Node node;
  Usage usage;
};

Options options_of(const boost::json::object& request) {
  Options options{.steps_max = 20'000'000};  // in place of a limit of seconds
  options.new_share_id = [] { return std::string("00000000-0000-4000-8000-000000000000"); };
  const auto* limit = request.if_contains("timeoutMs");
  if (limit != nullptr && limit->to_number<std::int64_t>() == 0)
    options.is_time_up = [] { return true; };
  return options;
}

}  // namespace

boost::json::object answer_allocate(const boost::json::object& request) {
  const World world(request);
  const Features features = features_of(request);
  cel::SelectorCompiler compiler({.consumable_capacity = features.consumable_capacity,
                                  .list_attributes = features.list_type_attributes});
  const auto find_class = [&](const std::string& name) {
    const auto found = world.classes.find(name);
    return found == world.classes.end() ? nullptr : found->second;
  };
  Allocator allocator({world.slices, world.usage, {}, features}, world.views, find_class, compiler);
  const Allocation allocation = allocator.allocate(world.node, options_of(request));
  boost::json::object answer{{"steps", allocation.steps}};
  if (allocation.error) {
    answer["error"] = allocation.error->text;
    answer["onlyThisNode"] = allocation.error->is_only_this_node;
    answer["interrupted"] = allocation.error->is_interrupted;
  }
  if (!allocation.fits) return answer;
  boost::json::array results;
  for (const AllocationResult& result : allocation.results) results.push_back(to_json(result));
  answer["results"] = std::move(results);
  return answer;
}

}  // namespace dcm::allocation_judge
