#include "cmd/dra-controller-manager/serving/serving.hpp"

#include <utility>

#include "cmd/dra-controller-manager/explain/subject.hpp"
#include "cmd/dra-controller-manager/serving/debug_pages.hpp"
#include "runtime/http/open_port.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {
namespace {

std::string secured_address(const Options& options) {
  const auto port = static_cast<std::uint16_t>(options.secure_port);
  return http::Endpoint{http::Security::tls, options.bind_address, port}.authority();
}

// Who may get an object may also read why it waits. A rule's explanation names pods of all
// namespaces, so it is not for everybody who may get the rule.
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
  std::unique_ptr<Serving> serving(new Serving(process, options, std::move(log)));
  if (const runtime::Result<> listening = serving->listen(options); !listening) {
    return runtime::fail(listening.error());
  }
  return serving;
}

Serving::Serving(const Process& process, const Options& options,
                 std::shared_ptr<runtime::LogBackend> log)
    : process_(process), metrics_accept_hosts_(options.metrics_accept_hosts) {
  for (Pages* pages : {&plain_pages_, &secured_pages_}) {
    add_health_pages(*pages, health_, pages == &plain_pages_ ? Reasons::whole : Reasons::by_name);
    add_metrics_page(*pages, process_.metrics);
  }
  add_reasons_page(secured_pages_, health_);
  add_debug_pages(secured_pages_, options, process_.loop.time(), std::move(log));
}

runtime::Result<> Serving::listen(const Options& options) {
  runtime::TimeSource& time = process_.loop.time();
  if (!options.metrics_bind_address.empty()) {
    auto plain = http::make_tcp_listener(process_.loop.executor(), time,
                                         options.metrics_bind_address, std::nullopt);
    if (!plain) return runtime::fail(plain.error());
    plain_ = std::move(*plain);
  }
  if (options.secure_port != 0) {
    auto secured = SecureServing::open(process_.loop.executor(), time,
                                       {.address = secured_address(options),
                                        .certificates = options.serving_certificates,
                                        .tls = options.serving_tls,
                                        .access = {.always_allow_paths = options.always_allow_paths,
                                                   .object_of = explained_object}});
    if (!secured) return runtime::fail(secured.error());
    secured_ = std::move(*secured);
  }
  return {};
}

runtime::Task<> Serving::run(client::RestClient& rest) {
  runtime::TaskGroup ports(process_.loop.executor());
  if (plain_ != nullptr) {
    process_.log.info("Serving plain HTTP", {{"address", plain_->address()}});
    ports.spawn("plain port", http::serve_open(*plain_, process_.loop.time(), open_server_options(),
                                               metrics_accept_hosts_,
                                               make_open_handler(plain_pages_), process_.log));
  }
  if (secured_ != nullptr) {
    process_.log.info("Serving HTTPS", {{"address", secured_->address()}});
    ports.spawn("secured port", secured_->run(secured_pages_, rest, process_.log));
  }
  co_await ports.join();
}

}  // namespace dcm::manager
