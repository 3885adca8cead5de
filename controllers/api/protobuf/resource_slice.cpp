#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/protobuf/parts.hpp"

namespace dcm::api {
namespace {

using protobuf::each_field;
using protobuf::Field;

void read_pool(const Field& pool, ResourceSlice& slice) {
  each_field(pool, [&](const Field& field) {
    if (field.number() == 1) slice.pool = InternedString(field.text());
    if (field.number() == 2) slice.pool_generation = field.integer();
    if (field.number() == 3) slice.pool_slices = field.integer();
  });
}

// The evicting taints, in field `number` of a device, or below `basic` in v1beta1.
std::vector<DeviceTaint> read_taints(const Field& device, std::uint32_t number,
                                     ResourceSlice& slice) {
  std::vector<DeviceTaint> taints;
  std::uint32_t index = 0;
  each_field(device, [&](const Field& field) {
    if (field.number() != number) return;
    DeviceTaint taint = protobuf::read_taint(field);
    taint.index = index++;
    if (taint.effect == TaintEffect::no_schedule) note_no_schedule(slice);
    if (taint.effect == TaintEffect::no_execute) taints.push_back(std::move(taint));
  });
  return taints;
}

// The next device of the slice.
void read_device(const Field& from, std::string_view api_version, ResourceSlice& slice) {
  PublishedDevice& device = slice.devices.emplace_back();
  const bool has_basic = protobuf::is_v1beta1(api_version);
  if (!has_basic) device.taints = if_any(read_taints(from, 8, slice));
  each_field(from, [&](const Field& field) {
    if (field.number() == 1) device.name = InternedString(field.text());
    if (has_basic && field.number() == 2) device.taints = if_any(read_taints(field, 7, slice));
  });
}

struct SliceFields {
  static constexpr std::string_view kKind = "ResourceSlice";

  void read_field(const Field& field, std::string_view api_version, ResourceSlice& slice) const {
    if (field.number() == 1) protobuf::read_metadata(field, slice.meta);
    if (field.number() != 2) return;
    each_field(field, [&](const Field& part) {
      if (part.number() == 1) slice.driver = InternedString(part.text());
      if (part.number() == 2) read_pool(part, slice);
      if (part.number() == 6) read_device(part, api_version, slice);
    });
  }
  bool is_kept(const ResourceSlice&) const { return true; }
  void complete(ResourceSlice& slice) const {
    slice.devices.shrink_to_fit();
    slice.no_schedule.shrink_to_fit();
  }
};

}  // namespace

std::unique_ptr<Decoder<ResourceSlice>> make_protobuf_slice_decoder() {
  return std::make_unique<protobuf::ProtobufDecoder<ResourceSlice, SliceFields>>();
}

}  // namespace dcm::api
