#include "allocation/json/decode.hpp"

namespace dcm::cel {

bool read_json(const api::json::Source& from, Quantity& out) {
  // The API server writes strings, but also accepts plain numbers.
  std::string_view text;
  if (!from.number_or_text(text)) return false;
  const auto quantity = Quantity::parse_stored(text);
  if (!quantity) return from.fail("expected a quantity");
  out = *quantity;
  return true;
}

}  // namespace dcm::cel

namespace dcm::allocation {

bool read_json(const api::json::Source& from, RawJson& out) {
  std::string_view text;
  if (!from.raw(text, api::PassOver())) return false;
  out.text = text;
  return true;
}

}  // namespace dcm::allocation
