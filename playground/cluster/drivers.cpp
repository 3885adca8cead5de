#include "playground/cluster/drivers.hpp"

#include "playground/objects/bodies.hpp"
#include "playground/objects/each.hpp"

namespace dcm::playground {
namespace {

Result<> without_body(const Result<http::Response>& answer) {
  if (!answer) return runtime::fail(answer.error());
  return {};
}

}  // namespace

Drivers::Drivers(Process process, Api& api, Layout layout)
    : process_(std::move(process)), api_(api), layout_(std::move(layout)) {}

Task<Result<>> Drivers::publish() {
  for (const std::string& driver : layout_.drivers) {
    const Result<> made = co_await publish_class(driver);
    if (!made) co_return made;
  }
  const Result<> made = co_await for_each_number(
      process_.loop.executor(), layout_.nodes.size() * layout_.drivers.size(),
      [this](std::size_t number) { return publish_slice(number); });
  co_return made;
}

Task<Result<>> Drivers::publish_class(std::string driver) {
  const Result<http::Response> answer =
      co_await api_.apply(device_classes(), {{}, driver}, {}, encode_device_class(driver));
  co_return without_body(answer);
}

Task<Result<>> Drivers::publish_slice(std::size_t number) {
  const std::string& driver = layout_.drivers[number % layout_.drivers.size()];
  const std::string& node = layout_.nodes[number / layout_.drivers.size()];
  const api::NamespacedName key{{}, slice_name(driver, node)};
  const Result<http::Response> published = co_await api_.get(slices(), key);
  if (!published && !runtime::is_not_found(published.error())) co_return without_body(published);
  const Result<http::Response> answer =
      co_await api_.apply(slices(), key, {},
                          encode_slice(driver, node, layout_.devices_per_node,
                                       published ? published->body : std::string_view()));
  co_return without_body(answer);
}

}  // namespace dcm::playground
