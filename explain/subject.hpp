// The subject of an explanation: a kind and a name, as users type them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/api/meta.hpp"
#include "client/api/resource.hpp"
#include "controllers/common/explanation.hpp"
#include "runtime/error.hpp"

namespace dcm::explain {

struct Subject {
  enum class Kind : std::uint8_t { pod, claim, group, rule };
  Kind kind = Kind::pod;
  api::NamespacedName key;  // for a rule only the name

  friend bool operator==(const Subject&, const Subject&) = default;
};

const api::ResourceKind& resource_of(Subject::Kind kind);
// The input that shows whether an object of the kind exists.
common::Input input_of(Subject::Kind kind);

// "/debug/explain/pods/lab/trainer-0"
inline constexpr std::string_view kExplainPath = "/debug/explain/";
std::string path_of(const Subject& subject);
// From the path after kExplainPath. Errors: bad_request, listing the valid paths.
runtime::Result<Subject> subject_from_path(std::string_view path);

// From the words of a command line, in kubectl's manner: {"pod", "trainer-0"}, {"pod/trainer-0"},
// {"po", "lab/trainer-0"}, {"devicetaintrules.resource.k8s.io", "burnt"}. A namespace in the name
// overrides `default_namespace`. Errors: configuration, in one line.
runtime::Result<Subject> subject_from_words(const std::vector<std::string>& words,
                                            const std::string& default_namespace);

}  // namespace dcm::explain
