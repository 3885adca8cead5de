#include "cmd/dra-controller-manager/serving/serving.hpp"

#include <utility>

#include "cmd/dra-controller-manager/serving/debug_pages.hpp"
#include "explain/subject.hpp"

namespace dcm::manager {
namespace {

// Whoever may get an object may also read why it waits. A rule's explanation names pods of all
// namespaces, so it needs more than permission to get the rule.
std::optional<api::ResourceAttributes> explained_object(std::string_view path) {
  if (!path.starts_with(kExplainPath)) return std::nullopt;
  const auto subject = subject_from_path(path.substr(kExplainPath.size()));
  if (!subject || subject->kind == Subject::Kind::rule) return std::nullopt;
  return api::ResourceAttributes{
      .verb = "get",
      .group = std::string(group_of(subject->kind)),
      .resource = std::string(plural_of(subject->kind)),
      .namespace_ = subject->key.namespace_.str(),
      .name = subject->key.name,
  };
}

}  // namespace

runtime::Result<std::unique_ptr<Serving>> Serving::open(const Process& process,
                                                        const Options& options,
                                                        std::shared_ptr<runtime::LogBackend> log) {
  std::unique_ptr<Serving> serving(new Serving);
  auto ports = Ports::open(process, serving->health_, options, explained_object);
  if (!ports) return runtime::fail(ports.error());
  serving->ports_ = *std::move(ports);
  add_debug_pages(serving->secured_pages(), options, process.loop.time(), std::move(log));
  return serving;
}

}  // namespace dcm::manager
