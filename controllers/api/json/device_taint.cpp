#include "controllers/api/json/device_taint.hpp"

#include <string_view>

#include "controllers/api/fields.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::api::json {
namespace {

bool read_seconds(Reader& reader, value field, std::optional<std::int64_t>& out) {
  return is_null(field) || reader.integer(field, out.emplace());
}

}  // namespace

bool read_time(Reader& reader, value field, std::optional<runtime::WallTime>& out) {
  std::string_view text;
  if (!reader.view(field, text)) return false;
  out = runtime::parse_timestamp(text);
  return out || text.empty() || reader.fail("expected a time");
}

bool read_taint(Reader& reader, value item, DeviceTaint& taint) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "key") return reader.text(field, taint.key);
    if (key == "value") return reader.text(field, taint.value);
    if (key == "timeAdded") return read_time(reader, field, taint.time_added);
    if (key != "effect") return true;
    std::string_view effect;
    if (!reader.view(field, effect)) return false;
    taint.effect = effect_of(effect);
    return true;
  });
}

bool read_toleration(Reader& reader, value item, std::vector<DeviceToleration>& tolerations) {
  TolerationView view;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "key") return reader.view(field, view.key);
    if (key == "operator") return reader.view(field, view.operator_);
    if (key == "value") return reader.view(field, view.value_);
    if (key == "effect") return reader.view(field, view.effect);
    if (key == "tolerationSeconds") return read_seconds(reader, field, view.seconds);
    return true;
  });
  if (is_read) append(view, tolerations);
  return is_read;
}

}  // namespace dcm::api::json
