#include "client/api/json/source.hpp"

#include "runtime/timestamp.hpp"

namespace dcm::api::json {

bool read_time(Reader& reader, value field, std::optional<runtime::WallTime>& out) {
  std::string_view text;
  if (!reader.view(field, text)) return false;
  out = runtime::parse_timestamp(text);
  return out || text.empty() || reader.fail("expected a time");
}

bool Source::number_or_text(std::string_view& out) const {
  value from = from_;
  ondemand::json_type type{};
  if (from.type().get(type) != simdjson::SUCCESS || type != ondemand::json_type::number) {
    return text(out);
  }
  out = from.raw_json_token();
  while (!out.empty() && static_cast<unsigned char>(out.back()) <= ' ') out.remove_suffix(1);
  double ignored = 0;
  const auto code = from.get_double().get(ignored);
  return code == simdjson::SUCCESS || reader_->fail(code, "a number");
}

}  // namespace dcm::api::json
