#include "apiserver/admission/uncalled_webhooks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/admission/matching.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kConfigurations[] = {"mutatingwebhookconfigurations",
                                                "validatingwebhookconfigurations"};

bool is_configuration(const ResourceType& type) {
  return std::ranges::find(kConfigurations, type.storage()) != std::end(kConfigurations);
}

JsonObject constraints_of(const JsonObject& webhook) {
  JsonObject constraints;
  for (const std::string_view name : {"namespaceSelector", "objectSelector", "matchPolicy"}) {
    if (webhook.contains(name)) constraints[name] = webhook.at(name);
  }
  constraints["resourceRules"] = array_at(webhook, {"rules"});
  return constraints;
}

}  // namespace

bool UncalledWebhooks::are_there() const {
  return std::ranges::any_of(
      kConfigurations, [this](std::string_view kind) { return store_.next_change(kind) > 0; });
}

std::vector<std::string> UncalledWebhooks::for_write(const Attributes& attributes) {
  // No webhook can keep anybody from changing webhooks.
  if (is_configuration(*attributes.type)) return {};
  refresh();
  const Stored ns = attributes.ns.empty() ? nullptr : store_.get("namespaces", attributes.ns);
  std::vector<std::string> texts;
  for (const Webhook& webhook : webhooks_) {
    if (match(webhook.constraints, attributes, ns.get(), types_)) texts.push_back(webhook.text);
  }
  return texts;
}

void UncalledWebhooks::refresh() {
  std::uint64_t changes = 0;
  for (const std::string_view kind : kConfigurations) changes += store_.next_change(kind);
  if (changes == seen_) return;
  seen_ = changes;
  webhooks_.clear();
  for (const std::string_view kind : kConfigurations) {
    for (const auto& [key, object] : store_.list(kind, "", "", store_.revision())) {
      for (const Json& item : array_at(*object, {"webhooks"})) {
        const JsonObject& webhook = as_object(item);
        // A policy without rules applies to everything, a webhook to nothing.
        if (array_at(webhook, {"rules"}).empty()) continue;
        webhooks_.push_back(
            {fmt::format("the webhook {} of {} {} is about this write, but this API server calls "
                         "no webhooks",
                         text_at(webhook, {"name"}), types_.get(kind).kind, key),
             constraints_of(webhook)});
      }
    }
  }
}

}  // namespace dcm::apiserver
