#include "playground/cluster/namespace_gc.hpp"

#include "playground/objects/bodies.hpp"
#include "playground/objects/collections.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kWorkers = 2;
// Between checks of a namespace in which something is still ending.
constexpr Duration kLookAgainInterval = 500ms;

}  // namespace

NamespaceGc::NamespaceGc(Process process, Api& api, Caches& caches)
    : api_(api),
      caches_(caches),
      work_("namespace_gc", kWorkers, process),
      on_namespace_([this](const auto&, const auto& after) {
        if (after && after->meta.is_being_deleted) work_.add(after->meta.key);
      }) {
  caches_.namespaces.informer().add_observer(on_namespace_);
}

Task<> NamespaceGc::run() {
  return work_.run([this](api::NamespacedName name) { return handle(std::move(name)); });
}

Task<Outcome> NamespaceGc::handle(api::NamespacedName name) {
  const api::ObjectPtr<Namespace> ns = caches_.namespaces.get(name);
  if (!ns || !ns->meta.is_being_deleted || !ns->is_to_be_emptied) co_return Outcome::done();
  const Result<Content> left = co_await empty(name.name.str());
  if (!left) co_return Outcome::retry();
  if (*left == Content::some) {
    work_.add_after(name, kLookAgainInterval);
    co_return Outcome::done();
  }
  const Result<> finalized = co_await finalize(name.name.str());
  const bool is_settled = finalized || runtime::is_object_gone(finalized.error());
  co_return is_settled ? Outcome::done() : Outcome::retry();
}

Task<Result<NamespaceGc::Content>> NamespaceGc::empty(std::string name) {
  const Result<std::vector<std::string>> collections =
      co_await find_namespaced_collections(api_, name);
  if (!collections) co_return runtime::fail(collections.error());
  Content left = Content::none;
  for (const std::string& collection : *collections) {
    const Result<Content> here = co_await empty_of(collection);
    if (!here) co_return runtime::fail(here.error());
    if (*here == Content::some) left = Content::some;
  }
  co_return left;
}

Task<Result<NamespaceGc::Content>> NamespaceGc::empty_of(std::string collection) {
  const Result<http::Response> deleted = co_await api_.remove_all(collection);
  if (!deleted) co_return runtime::fail(deleted.error());
  const Result<http::Response> left = co_await api_.get(collection + "?limit=1");
  if (!left) co_return runtime::fail(left.error());
  const Result<bool> is_empty = is_empty_list(left->body);
  if (!is_empty) co_return runtime::fail(is_empty.error());
  co_return *is_empty ? Content::none : Content::some;
}

Task<Result<>> NamespaceGc::finalize(std::string name) {
  const Result<http::Response> read = co_await api_.get(namespaces(), {{}, name});
  if (!read) co_return runtime::fail(read.error());
  const Result<std::string> body = encode_finalized(read->body);
  if (!body) co_return runtime::fail(body.error());
  const Result<http::Response> answer =
      co_await api_.replace(namespaces(), {{}, name}, "finalize", *body);
  if (!answer) co_return runtime::fail(answer.error());
  co_return Result<>();
}

}  // namespace dcm::playground
