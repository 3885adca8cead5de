#include "node/driver_kit/slices/api_slices.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "client/api/encode.hpp"
#include "client/request/request.hpp"
#include "client/request/watch_frames.hpp"
#include "controllers/api/resources.hpp"
#include "node/driver_kit/json.hpp"
#include "node/driver_kit/slices/slice.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;
using client::ApiRequest;
using client::Verb;
using runtime::Result;

const api::Resource kSlices{&api::kResourceSlices, "v1"};
const api::Resource kClaims{&api::kResourceClaims, "v1"};
const api::Resource kNodes{&api::kNodes, "v1"};

// The server ends a watch after the first time; one that the server has lost ends by the second.
constexpr std::chrono::seconds kWatchTime{300};
constexpr runtime::Duration kWatchPatience = std::chrono::seconds(330);

api::NamespacedName key_of(const json::object& slice) {
  return {{}, slice_name(slice)};
}

}  // namespace

ApiSlices::ApiSlices(runtime::TimeSource& time, client::RestClient& rest, const std::string& driver,
                     std::string node)
    : time_(time),
      rest_(rest),
      node_(std::move(node)),
      selector_(fmt::format("spec.driver={},spec.nodeName={}", driver, node_)) {}

Task<Result<std::string>> ApiSlices::node_uid() {
  const Result<Slice> found = co_await call(client::get_request(kNodes, {{}, node_}));
  if (!found) co_return runtime::fail(found.error());
  co_return text_at(*found, "/metadata/uid");
}

Task<Result<std::vector<SliceApi::Slice>>> ApiSlices::list() {
  std::vector<Slice> slices;
  std::string more;
  do {
    const Result<Slice> page =
        co_await call({.verb = Verb::list,
                       .target = client::make_target(
                           kSlices.path(),
                           {{"fieldSelector", selector_}, {"limit", "500"}, {"continue", more}})});
    if (!page) co_return runtime::fail(page.error());
    more = text_at(*page, "/metadata/continue");
    version_ = text_at(*page, "/metadata/resourceVersion");
    for (const json::value& item : array_at(*page, "/items")) {
      if (text_at(item, "/metadata/name").empty()) {
        co_return runtime::fail(runtime::Reason::malformed, "a listed ResourceSlice has no name");
      }
      slices.push_back(item.get_object());
    }
  } while (!more.empty());
  co_return slices;
}

Task<Result<SliceApi::Slice>> ApiSlices::create(Slice slice) {
  return call(client::create_request(kSlices, {}, {json::serialize(slice)}));
}

Task<Result<SliceApi::Slice>> ApiSlices::update(Slice slice) {
  return call(client::update_request(kSlices, key_of(slice), json::serialize(slice)));
}

Task<Result<>> ApiSlices::remove(Slice slice) {
  // Another slice of that name is left alone.
  const api::Uid uid(text_at(slice, "/metadata/uid"));
  const Result<Slice> answer = co_await call(
      client::delete_request(kSlices, key_of(slice), api::encode_delete_options(uid)));
  if (!answer && !runtime::is_not_found(answer.error())) co_return runtime::fail(answer.error());
  co_return Result<>();
}

// The publisher has one task and no queue.
Task<Result<SliceApi::Slice>> ApiSlices::call(ApiRequest request) {
  request.retries = client::Retries::allowed;
  const Result<http::Response> answer = co_await rest_.send(std::move(request));
  if (!answer) co_return runtime::fail(answer.error());
  co_return runtime::parse_json_object(answer->body);
}

Task<> ApiSlices::watch(std::function<void()> on_change) {
  runtime::Duration pause = kPause.first;
  while (true) {
    const runtime::MonoTime began = time_.now();
    (void)co_await watch_once(on_change);
    version_.clear();  // changes may be missed: start from a new list
    on_change();
    pause = time_.now() - began > kPause.most ? kPause.first : kPause.after(pause);
    co_await runtime::sleep_for(time_, pause);
  }
}

Task<Result<>> ApiSlices::watch_once(const std::function<void()>& on_change) {
  const auto deadline = runtime::Deadline::after(time_, kWatchPatience);
  auto response = co_await rest_.open(
      {.verb = Verb::watch,
       .target = client::make_target(kSlices.path(),
                                     {{"fieldSelector", selector_},
                                      {"watch", "true"},
                                      {"allowWatchBookmarks", "true"},
                                      {"timeoutSeconds", std::to_string(kWatchTime.count())},
                                      {"resourceVersion", version_}})});
  if (!response) co_return runtime::fail(response.error());
  client::WatchFrames frames;
  while (true) {
    const Result<std::string_view> bytes = co_await (*response)->read_some(deadline);
    if (!bytes) co_return runtime::fail(bytes.error());
    if (bytes->empty()) co_return Result<>();
    frames.put(*bytes);
    while (true) {
      const auto frame = frames.next();
      if (!frame) co_return runtime::fail(frame.error());
      if (!*frame) break;
      const Result<json::value> event = parse_json(**frame);
      if (!event) co_return runtime::fail(event.error());
      const std::string type = text_at(*event, "/type");
      if (type == "ERROR") co_return Result<>();
      if (type != "BOOKMARK") on_change();
    }
  }
}

Task<Result<std::string>> ApiClaims::get(api::NamespacedName key) {
  const Result<http::Response> answer =
      co_await rest_.send(client::get_request(kClaims, key, {.retries = client::Retries::allowed}));
  if (!answer) co_return runtime::fail(answer.error());
  co_return answer->body;
}

}  // namespace dcm::driver_kit
