#include "client/api/json/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;

bool read_taints(Reader& reader, value list, ResourceSlice& slice) {
  PublishedDevice& device = slice.devices.back();
  std::vector<DeviceTaint> taints;
  std::uint32_t index = 0;
  const bool is_read = reader.each_item(list, [&](value item) {
    DeviceTaint taint;
    if (!json::read_taint(reader, item, taint)) return false;
    taint.index = index++;
    if (taint.effect == TaintEffect::no_schedule) note_no_schedule(slice);
    if (taint.effect == TaintEffect::no_execute) taints.push_back(std::move(taint));
    return true;
  });
  device.taints = if_any(std::move(taints));
  return is_read;
}

bool read_pool(Reader& reader, value pool, ResourceSlice& slice) {
  return reader.each_field(pool, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, slice.pool);
    if (key == "generation") return reader.integer(field, slice.pool_generation);
    if (key == "resourceSliceCount") return reader.integer(field, slice.pool_slices);
    return true;
  });
}

class SliceFields {
 public:
  static constexpr std::string_view kKind = "ResourceSlice";

  // v1beta1 wraps everything but a device's name in `basic`.
  enum class TaintsPlace : std::uint8_t { in_device, in_basic };
  explicit SliceFields(TaintsPlace place) : place_(place) {}

  bool read_field(Reader& reader, std::string_view key, value field, ResourceSlice& slice) const {
    if (key == "metadata") return json::read_metadata(reader, field, slice.meta);
    if (key == "spec") return read_spec(reader, field, slice);
    return true;
  }
  bool is_kept(const ResourceSlice&) const { return true; }

 private:
  bool read_spec(Reader& reader, value spec, ResourceSlice& slice) const {
    return reader.each_field(spec, [&](std::string_view key, value field) {
      if (key == "driver") return reader.text(field, slice.driver);
      if (key == "pool") return read_pool(reader, field, slice);
      if (key != "devices") return true;
      const bool is_read =
          reader.each_item(field, [&](value item) { return read_device(reader, item, slice); });
      slice.devices.shrink_to_fit();
      slice.no_schedule.shrink_to_fit();
      return is_read;
    });
  }

  // The next device of the slice.
  bool read_device(Reader& reader, value item, ResourceSlice& slice) const {
    slice.devices.emplace_back();
    return reader.each_field(item, [&](std::string_view key, value field) {
      if (key == "name") return reader.text(field, slice.devices.back().name);
      if (place_ == TaintsPlace::in_device) {
        return key != "taints" || read_taints(reader, field, slice);
      }
      if (key != "basic") return true;
      return reader.each_field(field, [&](std::string_view name, value part) {
        return name != "taints" || read_taints(reader, part, slice);
      });
    });
  }

  TaintsPlace place_;
};

}  // namespace

std::unique_ptr<Decoder<ResourceSlice>> make_json_slice_decoder(std::string_view version) {
  using enum SliceFields::TaintsPlace;
  return std::make_unique<json::JsonDecoder<ResourceSlice, SliceFields>>(
      SliceFields(version == "v1beta1" ? in_basic : in_device));
}

}  // namespace dcm::api
