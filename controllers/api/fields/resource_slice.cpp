#include "controllers/api/resource_slice.hpp"

#include "client/api/json/decoder.hpp"
#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::api {
namespace {

struct DevicePart {
  InternedString name;
  std::vector<DeviceTaint> evicting;
  std::uint32_t taints = 0;
  bool has_no_schedule = false;
};

void take_taint(DeviceTaint&& taint, DevicePart& device) {
  taint.index = device.taints++;
  device.has_no_schedule |= taint.effect == TaintEffect::no_schedule;
  if (taint.effect == TaintEffect::no_execute) device.evicting.push_back(std::move(taint));
}

void take_device(DevicePart&& part, ResourceSlice& slice) {
  auto& device = slice.devices.emplace_back(std::move(part.name));
  if (!part.evicting.empty()) {
    device.taints = std::make_unique<const std::vector<DeviceTaint>>(std::move(part.evicting));
  }
  if (part.has_no_schedule) note_no_schedule(slice);
}

constexpr auto kTaints = each<DeviceTaint>(take_taint);

template <class Device>
constexpr auto slice_rows(Device device) {
  return rows(
      row<"metadata", 1>(metadata()),
      row<"spec", 2>(rows(row<"driver", 1>(&ResourceSlice::driver),
                          row<"pool", 2>(pool(&ResourceSlice::pool, &ResourceSlice::pool_generation,
                                              &ResourceSlice::pool_slices)),
                          row<"devices", 6>(each<DevicePart>(device, take_device)))));
}
constexpr auto kSlice =
    slice_rows(rows(row<"name", 1>(&DevicePart::name), row<"taints", 8>(kTaints)));
// v1beta1 wraps everything but a device's name in `basic`.
constexpr auto kSliceV1beta1 = slice_rows(
    rows(row<"name", 1>(&DevicePart::name), row<"basic", 2>(rows(row<"taints", 7>(kTaints)))));

struct SliceFields {
  static constexpr std::string_view kKind = "ResourceSlice";

  bool read_field(std::string_view version, const auto& key, const auto& from,
                  ResourceSlice& slice) const {
    return is_v1beta1(version) ? api::read_field(kSliceV1beta1, key, from, slice)
                               : api::read_field(kSlice, key, from, slice);
  }
  bool is_kept(const ResourceSlice&) const { return true; }
  void complete(ResourceSlice& slice) const {
    slice.devices.shrink_to_fit();
    slice.no_schedule.shrink_to_fit();
  }
};

}  // namespace

std::unique_ptr<Decoder<ResourceSlice>> make_json_slice_decoder(std::string_view version) {
  return json::make_decoder<ResourceSlice>(SliceFields(), version);
}

std::unique_ptr<Decoder<ResourceSlice>> make_protobuf_slice_decoder() {
  return protobuf::make_decoder<ResourceSlice>(SliceFields());
}

}  // namespace dcm::api
