// Lists and watches one kind from the API server: combines RestClient, a decoder, and watch frames.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/request/drop.hpp"
#include "client/request/rest_client.hpp"
#include "client/request/typed.hpp"
#include "client/request/watch_frames.hpp"
#include "informers/lister_watcher.hpp"

namespace dcm::informers {

template <class T>
class ApiWatchStream final : public WatchStream<T> {
 public:
  using Event = api::WatchEvent<T>;

  // `url` is for messages, whose text `redaction` filters. `decoder` must outlive it.
  ApiWatchStream(std::unique_ptr<http::StreamingResponse> response, const api::Decoder<T>& decoder,
                 std::string url, client::Redaction redaction = {})
      : response_(std::move(response)),
        decoder_(decoder),
        url_(std::move(url)),
        redaction_(std::move(redaction)),
        frames_(api::format_of(response_->headers().find("Content-Type").value_or(""))) {}

  Compression compression() const override {
    return response_->headers().find("Content-Encoding") == "gzip" ? Compression::gzip
                                                                   : Compression::none;
  }

  // Does not wait while a whole event is left from an earlier read.
  runtime::Task<runtime::Result<std::optional<Event>>> next(runtime::Deadline deadline) override {
    while (true) {
      const auto frame = frames_.next();
      if (!frame) co_return fail(frame.error());
      if (*frame) co_return decode(**frame);
      const runtime::Result<std::string_view> bytes = co_await response_->read_some(deadline);
      if (!bytes) co_return fail(bytes.error());
      if (bytes->empty()) co_return at_end();
      frames_.put(*bytes);
    }
  }

 private:
  runtime::Result<std::optional<Event>> decode(std::string_view frame) const {
    runtime::Result<Event> event = decoder_.decode_watch_event(frame);
    if (!event) return fail(event.error());
    if (auto* told = std::get_if<api::ErrorEvent>(&*event)) {
      told->error.message = redaction_.apply(std::move(told->error.message));
    }
    return std::optional<Event>(std::move(*event));
  }

  runtime::Result<std::optional<Event>> at_end() const {
    const runtime::Result<> end = frames_.finish();
    if (!end) return fail(end.error());
    return std::optional<Event>();
  }

  std::unexpected<runtime::Error> fail(runtime::Error error) const {
    error.message = redaction_.apply(url_ + ": " + error.message);
    return runtime::fail(std::move(error));
  }

  std::unique_ptr<http::StreamingResponse> response_;
  const api::Decoder<T>& decoder_;
  std::string url_;
  client::Redaction redaction_;
  client::WatchFrames frames_;
};

// `rest` and `decoder` must outlive this, its calls and its streams. Created again when discovery
// finds another version. With a selection, it lists and watches only the selected objects.
template <class T>
class ApiListerWatcher final : public ListerWatcher<T> {
 public:
  ApiListerWatcher(client::RestClient& rest, api::Resource resource, const api::Decoder<T>& decoder,
                   client::Selection selection = {})
      : rest_(rest),
        resource_(std::move(resource)),
        decoder_(decoder),
        selection_(std::move(selection)) {}

  // From the next request on.
  void use_version(std::string version) { resource_.version = std::move(version); }

  runtime::Task<runtime::Result<api::ListMeta>> list(ListOptions options,
                                                     std::function<void(api::Decoded<T>)> sink,
                                                     runtime::Deadline deadline) override {
    options.selection = selection_;
    client::ApiRequest request = client::list_request(
        resource_, options,
        // A page of a long list is repeated alone, without the preceding pages.
        {.deadline = deadline, .retries = client::Retries::allowed});
    request.accept = client::without_managed_fields(decoder_.accept());
    const runtime::Result<http::Response> answer = co_await rest_.send(request);
    if (!answer) co_return runtime::fail(answer.error());
    runtime::Result<api::ListMeta> list = decoder_.decode_list(answer->body, sink);
    if (!list) co_return runtime::fail(rest_.explain(request, list.error()));
    co_return list;
  }

  runtime::Task<runtime::Result<std::unique_ptr<WatchStream<T>>>> watch(
      WatchOptions options, runtime::Deadline deadline) override {
    options.selection = selection_;
    client::ApiRequest request = client::watch_request(resource_, options, {.deadline = deadline});
    request.accept = client::without_managed_fields(decoder_.accept());
    runtime::Result<std::unique_ptr<http::StreamingResponse>> response =
        co_await rest_.open(request);
    if (!response) co_return runtime::fail(response.error());
    co_return std::make_unique<ApiWatchStream<T>>(std::move(*response), decoder_,
                                                  rest_.url(request), rest_.redaction());
  }

 private:
  client::RestClient& rest_;
  api::Resource resource_;
  const api::Decoder<T>& decoder_;
  client::Selection selection_;
};

}  // namespace dcm::informers
