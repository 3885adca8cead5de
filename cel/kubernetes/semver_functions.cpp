#include "cel/kubernetes/libraries.hpp"
#include "cel/kubernetes/ordered_methods.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

struct SemverObject : Object {
  Semver version;
};

Value equal(const Object& a, const Value& b);
std::string text(const Object& object);

constexpr ObjectClass kClass{kSemverType, equal, nullptr, false, "cel.Semver", text};

const Semver& version_of(const Value& value) {
  return static_cast<const SemverObject&>(value.as_object()).version;
}

Value equal(const Object& a, const Value& b) {
  if (!b.is(Kind::object) || b.as_object().of != &kClass) return Value::error(kNoSuchOverload);
  return Value::boolean(static_cast<const SemverObject&>(a).version == version_of(b));
}

std::string text(const Object& object) {
  return static_cast<const SemverObject&>(object).version.text();
}

std::expected<Semver, std::string> parse_text(Args args, Frame& frame) {
  const bool normalizes = args.size() == 2 && args[1].as_boolean();
  if (!normalizes) return Semver::parse(args[0].as_text());
  const auto normal = normalize_semver(args[0].as_text());
  if (!normal) return std::unexpected(normal.error());
  return Semver::parse(frame.arena.copy(*normal));
}

Value parse(Args args, Frame& frame) {
  const auto version = parse_text(args, frame);
  return version ? semver_value(*version, frame.arena) : make_error(frame.arena, version.error());
}

Value is_semver(Args args, Frame& frame) {
  return Value::boolean(parse_text(args, frame).has_value());
}

using Ordered = OrderedMethods<version_of>;

template <std::uint64_t Semver::* kPart>
Value part(Args args, Frame&) {
  return Value::integer(static_cast<std::int64_t>(version_of(args[0]).*kPart));
}

constexpr FunctionRow kRows[] = {
    {"semver(string) kubernetes.Semver", parse, CostRule::scan},
    {"semver(string, bool) kubernetes.Semver", parse, CostRule::scan},
    {"isSemver(string) bool", is_semver, CostRule::scan},
    {"isSemver(string, bool) bool", is_semver, CostRule::scan},
    {"isGreaterThan(kubernetes.Semver; kubernetes.Semver) bool", Ordered::is_greater},
    {"isLessThan(kubernetes.Semver; kubernetes.Semver) bool", Ordered::is_less},
    {"compareTo(kubernetes.Semver; kubernetes.Semver) int", Ordered::compare_to},
    {"major(kubernetes.Semver;) int", part<&Semver::major>},
    {"minor(kubernetes.Semver;) int", part<&Semver::minor>},
    {"patch(kubernetes.Semver;) int", part<&Semver::patch>},
};

}  // namespace

std::span<const FunctionRow> semver_functions() {
  return kRows;
}

Value semver_value(const Semver& version, Arena& arena) {
  return Value::object(arena.make<SemverObject>(Object{&kClass}, version));
}

const Semver* as_semver(const Value& value) {
  if (!value.is(Kind::object) || value.as_object().of != &kClass) return nullptr;
  return &version_of(value);
}

}  // namespace dcm::cel
