#include "cel/overloads.hpp"

#include <algorithm>
#include <string>

namespace dcm::cel {
namespace {

// The reference asks the left operand of each for a trait. A value that has the trait, or that
// accepts any function, reports the error itself, without the name of the function.
struct Trait {
  std::string_view function;
  Kinds kinds;
};

constexpr Kinds kNumbers = kinds(Kind::integer, Kind::unsigned_integer, Kind::real);
constexpr Kinds kOrdered =
    kNumbers | kinds(Kind::boolean, Kind::string, Kind::bytes, Kind::duration, Kind::timestamp);
constexpr Trait kTraits[] = {
    {"_+_",
     kNumbers | kinds(Kind::string, Kind::bytes, Kind::list, Kind::duration, Kind::timestamp)},
    {"_-_", kNumbers | kinds(Kind::duration, Kind::timestamp)},
    {"_*_", kNumbers},
    {"_/_", kNumbers},
    {"_%_", kinds(Kind::integer, Kind::unsigned_integer)},
    {"-_", kinds(Kind::boolean, Kind::integer, Kind::real, Kind::duration)},
    {"_<_", kOrdered},
    {"_<=_", kOrdered},
    {"_>_", kOrdered},
    {"_>=_", kOrdered},
    {"size", kinds(Kind::string, Kind::bytes, Kind::list, Kind::map)},
    {"sort", kinds(Kind::list)},
};
constexpr Kinds kReceivers = kinds(Kind::string, Kind::duration, Kind::timestamp);

// String functions themselves reject values of other kinds.
constexpr std::string_view kOfText[] = {"startsWith", "endsWith", "contains"};

}  // namespace

bool is_named(std::string_view function) {
  return !std::string_view("_@-!").contains(function[0]) && function != "size" &&
         function != "sort";
}

Value no_overload(std::string_view function, std::span<const Value> args, Arena& arena) {
  const auto trait = std::ranges::find(kTraits, function, &Trait::function);
  const bool has_traits = trait != std::end(kTraits);
  if (has_traits && ((trait->kinds | kReceivers) & kinds(args[0].kind())) == 0)
    return make_error(arena, kNoSuchOverload, ": ", function);
  if (has_traits || !is_named(function) ||
      std::ranges::find(kOfText, function) != std::end(kOfText))
    return Value::error(kNoSuchOverload);
  std::string types;
  for (const Value& arg : args) types += (types.empty() ? "" : ", ") + std::string(type_name(arg));
  return make_error(arena, kNoSuchOverload, ": ", function, "(", types, ")");
}

}  // namespace dcm::cel
