// A server with a definition: namespaced Widgets with a status and a scale.
#pragma once

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {

inline constexpr std::string_view kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline constexpr std::string_view kWidgetsDefinition =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
inline constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";

inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

class Defined : public Api {
 protected:
  // `spec`: further properties of the spec, each preceded by a comma.
  static std::string definition(std::string_view spec = "", std::string_view root = "") {
    return std::string(
               R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
               R"("metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",)"
               R"("scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[)"
               R"({"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{)"
               R"("specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},)"
               R"("additionalPrinterColumns":[{"name":"Replicas","type":"integer",)"
               R"("jsonPath":".spec.replicas"}],"selectableFields":[{"jsonPath":".spec.color"}],)"
               R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{)"
               R"("type":"object","properties":{"replicas":{"type":"integer","default":1,)"
               R"("minimum":0,"maximum":10},"color":{"type":"string"})") +
           std::string(spec) +
           R"(}},"status":{"type":"object","properties":{"replicas":{"type":"integer"},)"
           R"("phase":{"type":"string"}}}})" +
           std::string(root) + "}}}]}}";
  }

  static std::string widget(std::string_view name, std::string_view spec) {
    return R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" +
           std::string(name) + R"("},"spec":)" + std::string(spec) + "}";
  }

  // "True NoConflicts"; "" if there is no such condition.
  static std::string condition(const Answer& definition, std::string_view type) {
    for (const Json& one : array_at(definition.body, {"status", "conditions"})) {
      const JsonObject& shown = one.get_object();
      if (text_at(shown, {"type"}) != type) continue;
      return std::string(text_at(shown, {"status"})) + " " +
             std::string(text_at(shown, {"reason"}));
    }
    return "";
  }
};

}  // namespace dcm::apiserver
