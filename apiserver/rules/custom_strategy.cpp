// Custom resources, as k8s.io/apiextensions-apiserver stores them (registry/customresource): no
// schema, so no defaults and no validation of what the definition would say.
#include <algorithm>

#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

// Whether two states differ apart from `metadata`.
bool same_content(const JsonObject& a, const JsonObject& b) {
  const auto content = [](const JsonObject& object) {
    JsonObject rest = object;
    for (const auto* name : {"metadata", "apiVersion", "kind"}) rest.erase(name);
    return rest;
  };
  return content(a) == content(b);
}

class CustomStrategy final : public Strategy {
 public:
  explicit CustomStrategy(StatusSubresource status)
      : has_status_(status == StatusSubresource::present) {}

  void prepare_create(JsonObject& object, const WriteContext&) const override {
    if (has_status_) object.erase("status");
    child(object, "metadata")["generation"] = 1;
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext&) const override {
    if (endpoint == Endpoint::status) return keep_all_but_status(next, old);
    if (has_status_) restore(next, old, "status");
    const auto before = integer_at(old, {"metadata", "generation"}).value_or(0);
    child(next, "metadata")["generation"] = before + (same_content(next, old) ? 0 : 1);
  }

  std::vector<std::string> reset_fields(Endpoint endpoint) const override {
    if (endpoint == Endpoint::status) return {"spec", "metadata"};
    return has_status_ ? std::vector<std::string>{"status"} : std::vector<std::string>{};
  }

 private:
  static void keep_all_but_status(JsonObject& next, const JsonObject& old) {
    JsonObject kept = old;
    restore(kept, next, "status");
    restore(child(kept, "metadata"), object_at(next, {"metadata"}), "managedFields");
    for (const auto* name : {"apiVersion", "kind"}) restore(kept, next, name);
    next = std::move(kept);
  }

  bool has_status_;
};

}  // namespace

const Strategy& custom_strategy(StatusSubresource status) {
  static const CustomStrategy kWith(StatusSubresource::present);
  static const CustomStrategy kWithout(StatusSubresource::none);
  return status == StatusSubresource::present ? kWith : kWithout;
}

}  // namespace dcm::apiserver
