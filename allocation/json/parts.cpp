#include "controllers/api/json/parts.hpp"

#include "allocation/json/rows.hpp"
#include "controllers/api/fields.hpp"

namespace dcm::allocation {

bool read(Reader& reader, value from, Quantity& out) {
  // The API server writes strings, but also accepts plain numbers.
  std::string_view text;
  simdjson::ondemand::json_type type{};
  if (from.type().get(type) == simdjson::SUCCESS && type == simdjson::ondemand::json_type::number) {
    text = from.raw_json_token();
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
    double ignored = 0;
    if (const auto code = from.get_double().get(ignored)) return reader.fail(code, "a quantity");
  } else if (!reader.view(from, text)) {
    return false;
  }
  const auto quantity = Quantity::parse(text);
  if (!quantity) return reader.fail("expected a quantity");
  out = *quantity;
  return true;
}

bool read(Reader& reader, value from, api::TaintEffect& out) {
  std::string_view text;
  if (!reader.view(from, text)) return false;
  out = api::effect_of(text);
  return true;
}

bool read(Reader& reader, value from, std::optional<runtime::WallTime>& out) {
  return api::json::read_time(reader, from, out);
}

bool read(Reader& reader, value from, RawJson& out) {
  std::string_view text;
  if (!reader.raw_object(from, text, [](std::string_view, value) { return true; })) return false;
  out.text = text;
  return true;
}

}  // namespace dcm::allocation
