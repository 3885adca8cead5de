#include "cel/kubernetes/selector.hpp"

#include "cel/kubernetes/device_map.hpp"
#include "cel/kubernetes/libraries.hpp"
#include "cel/program.hpp"
#include "cel/trace.hpp"

namespace dcm::cel {
namespace {

constexpr std::uint64_t kCostMax = 1'000'000;
// Limits of the API, used for estimates.
constexpr std::uint64_t kDomainMax = 63, kIdentifierMax = 32, kDriverMax = 63, kValueMax = 64,
                        kEntriesMax = 32;

// The limit for a path in `device`. A map's size is its number of entries, a quantity's is 0.
std::optional<std::uint64_t> limit_of(std::span<const std::string> path) {
  if (path.empty() || path[0] != "device") return std::nullopt;
  path = path.subspan(1);
  if (path.empty()) return 0;
  if (path[0] == "driver") return path.size() == 1 ? std::optional(kDriverMax) : std::nullopt;
  if (path[0] == "allowMultipleAllocations")
    return path.size() == 1 ? std::optional<std::uint64_t>(1) : std::nullopt;
  if (path[0] != "attributes" && path[0] != "capacity") return std::nullopt;
  const bool is_attribute = path[0] == "attributes";
  path = path.subspan(1);
  if (path.empty()) return kEntriesMax;
  if (path[0] == "@keys") return path.size() == 1 ? std::optional(kDomainMax) : std::nullopt;
  if (path[0] != "@values" && path[0] != "@items") return std::nullopt;
  path = path.subspan(1);
  if (path.empty()) return kEntriesMax;
  if (path[0] == "@keys") return path.size() == 1 ? std::optional(kIdentifierMax) : std::nullopt;
  const bool is_field = path[0] != "@values" && path[0] != "@items";
  if (path.size() > 1 || (is_field && !is_attribute)) return std::nullopt;
  return is_attribute ? kValueMax : 0;
}

// Stored objects may use every feature.
SelectorFeatures features_in(const SelectorFeatures& features, Environment environment) {
  if (environment == Environment::new_expressions) return features;
  return {.consumable_capacity = true, .list_attributes = true};
}

const Type* attribute_type(const SelectorFeatures& features, Environment environment) {
  return features_in(features, environment).list_attributes ? &types::dyn : &types::any;
}

std::unique_ptr<const Library> make_library(const SelectorFeatures& wanted,
                                            Environment environment) {
  const SelectorFeatures features = features_in(wanted, environment);
  auto library = std::make_unique<Library>();
  add_kubernetes(*library);
  if (features.list_attributes) library->add(includes_function());
  TypePool& pool = library->types();
  const auto by_domain = [&](const Type* value) {
    return pool.map(&types::string, pool.map(&types::string, value));
  };
  Library::Fields fields{{"driver", &types::string},
                         {"attributes", by_domain(attribute_type(features, environment))},
                         {"capacity", by_domain(library->type(kQuantityType))}};
  if (features.consumable_capacity) fields.emplace("allowMultipleAllocations", &types::boolean);
  library->add_object("kubernetes.DRADevice", std::move(fields));
  library->add_variable("device", library->type("kubernetes.DRADevice"));
  library->add_size_limit(limit_of);
  return library;
}

// Each library is created on first use and kept: programs refer to it.
const Library& library_for(const SelectorFeatures& features, Environment environment) {
  static std::unique_ptr<const Library> libraries[2][2][2];
  auto& library = libraries[features.consumable_capacity][features.list_attributes]
                           [static_cast<int>(environment)];
  if (library == nullptr) library = make_library(features, environment);
  return *library;
}

std::expected<std::unique_ptr<const Program>, std::string> compile_program(
    std::string_view expression, const SelectorFeatures& features, Environment environment,
    const Program::CheckType& check_type) {
  return Program::compile(expression, library_for(features, environment), check_type);
}

bool is_scalar(const Type& type) {
  switch (type.kind()) {
    case Type::Kind::boolean:
    case Type::Kind::integer:
    case Type::Kind::string:
    case Type::Kind::any:
    case Type::Kind::dyn:
      return true;
    default:
      return type.kind() == Type::Kind::object && type.name() == kSemverType;
  }
}

// A value that CEL cannot represent makes every expression on the device fail.
std::optional<std::string> fault_of(const DeviceView& device) {
  for (const Attribute& attribute : device.attributes) {
    if (!attribute.is_malformed()) continue;
    const std::string prefix = "attribute " + std::string(attribute.qualified_name()) + ": ";
    if (attribute.kind() == Attribute::Kind::malformed_version)
      return prefix + "parse semantic version: " + Semver::parse(attribute.as_text()).error();
    if (attribute.kind() == Attribute::Kind::malformed_versions)
      for (const auto text : attribute.as_texts())
        if (const auto version = Semver::parse(text); !version)
          return prefix + "parse semantic version: " + version.error();
    return prefix + "unsupported attribute value";
  }
  return std::nullopt;
}

// As the reference names each type.
std::string why_not_bool(const Value& value) {
  switch (value.kind()) {
    case Kind::integer:
    case Kind::unsigned_integer:
      return "unsupported type conversion from '" + std::string(type_name(value)) + "' to bool";
    case Kind::string:
      return "unsupported native conversion from string to 'bool'";
    case Kind::type:
      return "type conversion not supported for 'type'";
    case Kind::real:
      return "type conversion error from Double to 'bool'";
    case Kind::bytes:
      return "type conversion error from Bytes to 'bool'";
    case Kind::list:
    case Kind::map:
      return "type conversion error from " + std::string(type_name(value)) + " to 'bool'";
    default: {
      std::string_view name = implementation_name(value);  // cel.Semver, types.Duration
      name.remove_prefix(name.find('.') + 1);
      return "type conversion error from '" + std::string(name) + "' to 'bool'";
    }
  }
}

std::unexpected<std::string> runtime_error(const Value& value) {
  return std::unexpected(std::string(value.as_text()));
}

std::expected<DerivedValue, std::string> derived_of_list(const List& list, const Type& type) {
  static_cast<void>(type);
  DerivedValue derived{DerivedValue::Texts(), false};
  if (list.values.empty()) return derived;
  const auto fail = [&](std::string_view wanted, std::size_t i) {
    return std::unexpected("expected list element at index " + std::to_string(i) + " to be " +
                           std::string(wanted) + ", got " + std::string(type_name(list.values[i])));
  };
  const Value& first = list.values[0];
  if (first.is(Kind::boolean))
    derived.value = std::vector<bool>();
  else if (first.is(Kind::integer))
    derived.value = std::vector<std::int64_t>();
  else if (as_semver(first) != nullptr)
    derived.is_version = true;
  else if (!first.is(Kind::string))
    return std::unexpected("unsupported list element type: " + std::string(type_name(first)));
  for (std::size_t i = 0; i < list.values.size(); ++i) {
    const Value& item = list.values[i];
    if (auto* flags = std::get_if<std::vector<bool>>(&derived.value)) {
      if (!item.is(Kind::boolean)) return fail("bool", i);
      flags->push_back(item.as_boolean());
    } else if (auto* numbers = std::get_if<std::vector<std::int64_t>>(&derived.value)) {
      if (!item.is(Kind::integer)) return fail("int", i);
      numbers->push_back(item.as_integer());
    } else {
      const Semver* const version = as_semver(item);
      if (derived.is_version ? version == nullptr : !item.is(Kind::string))
        return fail(derived.is_version ? "semver" : "string", i);
      std::get<DerivedValue::Texts>(derived.value)
          .push_back(derived.is_version ? version->text() : std::string(item.as_text()));
    }
  }
  return derived;
}

}  // namespace

Selector::Selector(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
Selector::~Selector() = default;

std::expected<bool, std::string> Selector::matches(const DeviceView& device,
                                                   EvaluationCost* cost) const {
  if (auto fault = fault_of(device)) return std::unexpected(*std::move(fault));
  Arena arena;
  const Value variable = device_value(device, arena);
  Frame frame{.arena = arena, .variables = &variable, .cost_limit = kCostMax};
  const Value result = program_->evaluate(frame);
  if (cost != nullptr) cost->actual = frame.cost;
  if (result.is(Kind::boolean)) return result.as_boolean();
  if (!result.is_error())
    return std::unexpected("CEL result of type " + std::string(type_name(result)) +
                           " could not be converted to bool: " + why_not_bool(result));
  std::string text(result.as_text());
  if (text.contains("no such key: "))
    text +=
        ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
        "with has() for "
        "optional fields";
  return std::unexpected(std::move(text));
}

std::uint64_t Selector::max_cost() const {
  return program_->max_cost();
}

SelectorTrace::SelectorTrace(const Selector& selector)
    : trace_(std::make_unique<const Trace>(*selector.program_)) {}
SelectorTrace::~SelectorTrace() = default;

Reason SelectorTrace::why(const DeviceView& device) const {
  if (fault_of(device)) return {};  // nothing was evaluated
  Arena arena;
  const Value variable = device_value(device, arena);
  Frame frame{.arena = arena, .variables = &variable, .cost_limit = kCostMax};
  return trace_->why(frame);
}

DerivedAttribute::DerivedAttribute(std::unique_ptr<const Program> program)
    : program_(std::move(program)) {}
DerivedAttribute::~DerivedAttribute() = default;

std::expected<DerivedValue, std::string> DerivedAttribute::evaluate(
    const DeviceView& device) const {
  if (auto fault = fault_of(device)) return std::unexpected(*std::move(fault));
  Arena arena;
  const Value variable = device_value(device, arena);
  Frame frame{.arena = arena, .variables = &variable, .cost_limit = kCostMax};
  const Value result = program_->evaluate(frame);
  switch (result.kind()) {
    case Kind::error:
      return runtime_error(result);
    case Kind::boolean:
      return DerivedValue{result.as_boolean(), false};
    case Kind::integer:
      return DerivedValue{result.as_integer(), false};
    case Kind::string:
      return DerivedValue{std::string(result.as_text()), false};
    case Kind::list:
      return derived_of_list(result.as_list(), program_->type());
    default:
      if (const Semver* const version = as_semver(result))
        return DerivedValue{version->text(), true};
      return std::unexpected("unsupported CEL return type: " + std::string(type_name(result)));
  }
}

SelectorCompiler::SelectorCompiler(SelectorFeatures features, std::size_t cached)
    : features_(features), cached_(cached) {}
SelectorCompiler::~SelectorCompiler() = default;

std::expected<std::shared_ptr<const Selector>, std::string> SelectorCompiler::compile(
    std::string_view expression, Environment environment) {
  auto& index = index_[static_cast<std::size_t>(environment)];
  if (const auto found = index.find(expression); found != index.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->selector;
  }
  const auto check_type = [&](const Type& type) -> std::optional<std::string> {
    if (type.kind() == Type::Kind::boolean || type.is_same(*attribute_type(features_, environment)))
      return std::nullopt;
    return "must evaluate to bool or the unknown type, not " + type.full_text();
  };
  auto program = compile_program(expression, features_, environment, check_type);
  if (!program) return std::unexpected(std::move(program.error()));
  auto selector = std::make_shared<const Selector>(*std::move(program));
  if (cached_ == 0) return selector;
  if (recent_.size() == cached_) {
    const Entry& oldest = recent_.back();
    index_[static_cast<std::size_t>(oldest.environment)].erase(oldest.expression);
    recent_.pop_back();
  }
  recent_.push_front({environment, std::string(expression), selector});
  index.emplace(recent_.front().expression, recent_.begin());
  return selector;
}

std::expected<std::shared_ptr<const DerivedAttribute>, std::string>
SelectorCompiler::compile_derived(std::string_view expression, Environment environment) const {
  const bool allows_lists =
      features_.list_attributes || environment == Environment::stored_expressions;
  const auto check_type = [&](const Type& type) -> std::optional<std::string> {
    const bool is_list = type.kind() == Type::Kind::list && allows_lists;
    if (is_scalar(is_list ? type.parameter(0) : type)) return std::nullopt;
    return "must evaluate to a primitive scalar (string, integer, boolean, semver)" +
           std::string(allows_lists ? " or a list of these scalars" : "") + ", not " +
           type.full_text();
  };
  auto program = compile_program(expression, features_, environment, check_type);
  if (!program) return std::unexpected(std::move(program.error()));
  return std::make_shared<const DerivedAttribute>(*std::move(program));
}

}  // namespace dcm::cel
