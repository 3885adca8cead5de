#include "cel/select.hpp"

#include <cmath>
#include <utility>

#include "cel/numbers.hpp"

namespace dcm::cel {
namespace {

// A list's index: an integer of any type that fits into a signed 64-bit one, or a whole double.
std::optional<std::int64_t> index_of(const Value& key) {
  if (key.is(Kind::integer)) return key.as_integer();
  if (key.is(Kind::unsigned_integer))
    return std::in_range<std::int64_t>(key.as_unsigned())
               ? std::optional(static_cast<std::int64_t>(key.as_unsigned()))
               : std::nullopt;
  if (key.is(Kind::real) && key.as_real() == std::trunc(key.as_real()))
    return to_integer(key.as_real());
  return std::nullopt;
}

}  // namespace

bool is_key(const Value& key) {
  switch (key.kind()) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::string:
      return true;
    default:
      return false;
  }
}

std::optional<Value> look_up(const Value& container, const Value& key, Arena& arena) {
  if (container.is(Kind::map) && key.is(Kind::string)) return container.as_map().find(key, arena);
  if (!is_key(key)) return make_error(arena, "invalid qualifier type: ", implementation_name(key));
  if (container.is(Kind::map)) return container.as_map().find(key, arena);
  if (!container.is(Kind::list)) return std::nullopt;
  const auto index = index_of(key);
  if (!index && (key.is(Kind::real) || key.is(Kind::unsigned_integer)))
    return make_error(arena, "unsupported index value ", describe(key, arena), " in list");
  if (!index) return make_error(arena, "unsupported index type '", type_name(key), "' in list");
  const auto values = container.as_list().values;
  if (*index < 0 || std::cmp_greater_equal(*index, values.size())) return std::nullopt;
  return values[static_cast<std::size_t>(*index)];
}

Value missing(const Value& container, const Value& key, Arena& arena) {
  return make_error(arena, container.is(Kind::list) ? "index out of bounds: " : "no such key: ",
                    describe(key, arena));
}

}  // namespace dcm::cel
