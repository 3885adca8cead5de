#include "cmd/dra-controller-manager/serving/explained_object.hpp"

#include "cmd/dra-controller-manager/namespaces.hpp"
#include "explain/subject.hpp"

namespace dcm::dra_manager {

// Who may get an object may also read why it waits. A rule's explanation names pods of all
// namespaces, so not everybody who may get the rule may see it.
std::optional<api::ResourceAttributes> explained_object(std::string_view path) {
  if (!path.starts_with(kExplainPath)) return std::nullopt;
  const auto subject = subject_from_path(path.substr(kExplainPath.size()));
  if (!subject || subject->kind == Subject::Kind::rule) return std::nullopt;
  return api::ResourceAttributes{
      .verb = "get",
      .group = std::string(resource_of(subject->kind).group),
      .resource = std::string(resource_of(subject->kind).plural),
      .namespace_ = subject->key.namespace_.str(),
      .name = subject->key.name.str(),
  };
}

}  // namespace dcm::dra_manager
