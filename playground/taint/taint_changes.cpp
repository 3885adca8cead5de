#include "playground/taint/taint_changes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "options/setting.hpp"
#include "runtime/ascii.hpp"

namespace dcm::playground {
namespace {

constexpr std::array<std::string_view, 3> kEffects = {"None", "NoSchedule", "NoExecute"};

std::unexpected<runtime::Error> refuse(std::string_view text, std::string_view why) {
  return runtime::fail(runtime::Reason::configuration, fmt::format("\"{}\": {}", text, why));
}

// The characters of keys and values; the API server checks the rest.
bool is_plain(char c) {
  return runtime::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '/';
}

// Removes the part after `separator` from `text`.
std::string_view split_off(std::string_view& text, char separator) {
  const std::size_t position = text.find(separator);
  if (position == std::string_view::npos) return {};
  const std::string_view rest = text.substr(position + 1);
  text = text.substr(0, position);
  return rest;
}

runtime::Result<Taint> parse_taint(std::string_view spec) {
  std::string_view key = spec;
  const bool has_effect = key.contains(':');
  const std::string_view effect = split_off(key, ':');
  const std::string_view value = split_off(key, '=');
  if (key.empty()) return refuse(spec, "a taint needs a key");
  if (!std::ranges::all_of(key, is_plain) || !std::ranges::all_of(value, is_plain)) {
    return refuse(spec, "no KEY=VALUE:EFFECT");
  }
  if (has_effect && std::ranges::find(kEffects, effect) == kEffects.end()) {
    const std::string meant = options::closest(effect, {kEffects.begin(), kEffects.end()});
    return refuse(spec, "the effect is None, NoSchedule or NoExecute" +
                            (meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }
  return Taint{std::string(key), std::string(value), std::string(effect)};
}

runtime::Result<> add_to(TaintChanges& changes, const std::string& spec) {
  auto taint = parse_taint(spec);
  if (!taint) return runtime::fail(taint.error());
  if (taint->effect.empty()) {
    return refuse(spec, "a new taint needs an effect: KEY=VALUE:EFFECT (KEY- removes)");
  }
  const bool is_double = std::ranges::any_of(changes.add, [&](const Taint& other) {
    return other.key == taint->key && other.effect == taint->effect;
  });
  if (is_double) return refuse(spec, "another taint has the same key and effect");
  changes.add.push_back(std::move(*taint));
  return {};
}

runtime::Result<> remove_from(TaintChanges& changes, std::string_view spec) {
  auto taint = parse_taint(spec);
  if (!taint) return runtime::fail(taint.error());
  taint->value.clear();
  changes.remove.push_back(std::move(*taint));
  return {};
}

}  // namespace

std::string Taint::str() const {
  std::string text = key;
  if (!value.empty()) text += "=" + value;
  if (!effect.empty()) text += ":" + effect;
  return text;
}

runtime::Result<api::DeviceId> parse_device(std::string_view text) {
  const std::size_t first = text.find('/');
  const std::size_t last = text.rfind('/');
  if (first == last) return refuse(text, "no DRIVER/POOL/DEVICE");
  const std::string_view driver = text.substr(0, first);
  const std::string_view pool = text.substr(first + 1, last - first - 1);
  const std::string_view device = text.substr(last + 1);
  if (driver.empty() || pool.empty() || device.empty()) {
    return refuse(text, "no DRIVER/POOL/DEVICE");
  }
  return api::DeviceId{api::InternedString(driver), api::InternedString(pool),
                       api::InternedString(device)};
}

runtime::Result<TaintChanges> parse_taint_changes(const std::vector<std::string>& specs) {
  TaintChanges changes;
  for (const std::string& spec : specs) {
    const bool is_removal = spec.ends_with('-');
    const auto done = is_removal
                          ? remove_from(changes, std::string_view(spec).substr(0, spec.size() - 1))
                          : add_to(changes, spec);
    if (!done) return runtime::fail(done.error());
  }
  return changes;
}

}  // namespace dcm::playground
