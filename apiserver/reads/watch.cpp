#include "apiserver/reads/watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/reads/partial.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

using WatchList = WatchServing::WatchList;

// The last bookmark is sent this long before the end, so that the next watch starts from there.
constexpr auto kLastBookmark = std::chrono::seconds(2);

bool asks_initial_events(const WatchServing& options, const Query& query) {
  return query.is_true("sendInitialEvents") && options.watch_list == WatchList::supported;
}

// Whether a watch of the target can show what is there.
bool are_readable(const Store& store, const ListTarget& target) {
  return target.type->unconverted() == nullptr ||
         store.list(target.type->storage(), target.prefix(), "", store.revision()).empty();
}

}  // namespace

Result<> Watch::check_options(const WatchServing& options, const Query& query) {
  if (options.watch_list == WatchList::ignored) return {};
  const std::string_view match = query.get("resourceVersionMatch");
  Causes causes;
  if (query.has("sendInitialEvents")) {
    if (match != "NotOlderThan") {
      causes.push_back(forbidden_value("resourceVersionMatch",
                                       "sendInitialEvents requires setting resourceVersionMatch to "
                                       "NotOlderThan"));
    }
    if (options.watch_list == WatchList::refused) {
      causes.push_back(forbidden_value(
          "sendInitialEvents",
          "sendInitialEvents is forbidden for watch unless the WatchList feature gate is "
          "enabled"));
    }
  } else if (!match.empty()) {
    causes.push_back(forbidden_value(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (!match.empty() && match != "NotOlderThan") {
    causes.push_back(
        {"FieldValueNotSupported",
         fmt::format("Unsupported value: \"{}\": supported values: \"NotOlderThan\"", match),
         "resourceVersionMatch"});
  }
  // A watch from any version requests initial events by default, and so has a match.
  const std::string_view version = query.get("resourceVersion");
  const bool is_default = options.watch_list == WatchList::supported &&
                          !query.has("sendInitialEvents") && (version.empty() || version == "0");
  if ((is_default || !match.empty()) && !query.get("continue").empty()) {
    causes.push_back(forbidden_value(
        "resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (!causes.empty()) return std::unexpected(invalid_options("ListOptions", causes));
  return {};
}

Result<Watch::Start> Watch::choose_start(const WatchContext& context, const ListTarget& target,
                                         const Query& query) {
  const Store& store = *context.store;
  const auto wanted = parse_revision(query.get("resourceVersion"));
  if (!wanted) return std::unexpected(plain_failure(not_a_revision(query.get("resourceVersion"))));
  const bool has_initial_events = asks_initial_events(*context.options, query);
  if (has_initial_events && *wanted > store.revision()) {
    return std::unexpected(version_too_large(*wanted, store.revision()));
  }
  if (has_initial_events) {
    return Start{store.revision(), true, query.is_true("allowWatchBookmarks")};
  }
  if (*wanted == 0) {
    const bool is_declined =
        query.has("sendInitialEvents") && context.options->watch_list == WatchList::supported;
    return Start{store.revision(), !is_declined, false};
  }
  if (!store.is_kept(target.type->storage(), *wanted)) {
    return std::unexpected(expired(fmt::format("too old resource version: {} ({})", *wanted,
                                               store.oldest_kept(target.type->storage()))));
  }
  return Start{*wanted, false, false};
}

Result<std::unique_ptr<Watch>> Watch::open(const WatchContext& context, const ListTarget& target,
                                           const Query& query, const Form& form,
                                           std::optional<TableStyle> style) {
  // Parse errors are reported before conflicts between parameters.
  for (const auto* name : {"limit", "timeoutSeconds"}) {
    if (auto number = query.check_integer(name); !number) return std::unexpected(number.error());
  }
  if (auto labels = Selector::parse(*target.type, query.get("labelSelector"), ""); !labels) {
    return std::unexpected(std::move(labels.error()));
  }
  if (auto checked = check_options(*context.options, query); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  auto selector =
      Selector::parse(*target.type, query.get("labelSelector"), query.get("fieldSelector"));
  if (!selector) return std::unexpected(std::move(selector.error()));
  const auto start = choose_start(context, target, query);
  if (!start && start.error().code == 500) return std::unexpected(start.error());

  std::unique_ptr<Watch> watch(new Watch(context, target, std::move(*selector)));
  watch->form_ = form;
  watch->style_ = std::move(style);
  if (!are_readable(*context.store, target)) {
    watch->fail(not_initialized());
  } else if (start) {
    watch->begin(*start, query);
  } else {
    watch->fail(start.error());
  }
  return watch;
}

Watch::~Watch() {
  if (closed_) closed_();
  for (const auto& timer : {bookmark_timer_, end_timer_}) {
    if (timer) context_.time->cancel(*timer);
  }
}

void Watch::begin(const Start& start, const Query& query) {
  const Store& store = *context_.store;
  const std::string& resource = target_.type->storage();
  floor_ = start.revision;
  cursor_ = start.revision >= store.revision() ? store.next_change(resource)
                                               : store.first_change_after(resource, start.revision);
  if (start.with_objects) {
    for (auto& entry : store.list(resource, target_.prefix(), "", start.revision)) {
      if (selector_.matches(*entry.object)) initial_.push_back(std::move(entry.object));
    }
  }
  marker_due_ = start.with_marker;
  runtime::Duration life = runtime::bounded_seconds(query.integer("timeoutSeconds").value_or(0));
  if (life <= runtime::Duration::zero()) {
    const double factor = 1.0 + context_.rng->unit();
    life = std::chrono::duration_cast<runtime::Duration>(context_.options->timeout * factor);
  }
  ends_at_ = context_.time->now() + life;
  end_timer_ = context_.time->schedule(ends_at_, [this] {
    end_timer_.reset();
    end();
  });
  if (query.is_true("allowWatchBookmarks")) schedule_bookmark();
}

void Watch::fail(const ApiError& error) {
  const JsonObject status = error.to_status();
  const bool is_protobuf = form_.encoding == Encoding::protobuf;
  has_failed_ = true;
  failure_ =
      event("ERROR", is_protobuf ? encode_protobuf("v1", "Status", status) : serialize(status));
  ended_ = true;
}

void Watch::schedule_bookmark() {
  const runtime::MonoTime now = context_.time->now();
  const runtime::MonoTime when =
      std::min(now + context_.options->bookmark_interval, ends_at_ - kLastBookmark);
  if (when <= now) return;
  bookmark_timer_ = context_.time->schedule(when, [this] {
    bookmark_timer_.reset();
    bookmark_due_ = true;
    schedule_bookmark();
    notify();
  });
}

std::string Watch::initial_marker() {
  const JsonObject marker{
      {"metadata", JsonObject{{"resourceVersion", std::to_string(floor_)},
                              {"annotations", JsonObject{{"k8s.io/initial-events-end", "true"}}}}}};
  return line("BOOKMARK", std::make_shared<const JsonObject>(marker));
}

// All watches of a version share the same text. (Tables have many variants and few watches.)
std::string Watch::line(std::string_view type, const Stored& object) {
  const ColumnHeads heads = std::exchange(heads_, ColumnHeads::omitted);
  if (style_) {
    return event(type, encode_table(target_, object, *style_, heads, context_.time->wall_now()));
  }
  if (form_.shape == Form::Shape::metadata) return event(type, encode_partial(object, form_));
  return event(type, *context_.texts->get(*target_.type, target_.version, object, form_.encoding));
}

std::string Watch::event(std::string_view type, std::string_view object) const {
  if (form_.encoding == Encoding::protobuf) return protobuf_event(type, object);
  std::string line = R"({"type":")";
  line.reserve(object.size() + 32);
  return line.append(type).append(R"(","object":)").append(object).append("}\n");
}

std::string_view Watch::media_type() const {
  return form_.encoding == Encoding::protobuf ? kProtobufWatch : "application/json";
}

std::string Watch::bookmark() {
  const std::string revision = std::to_string(context_.store->revision());
  const JsonObject bookmark{{"metadata", JsonObject{{"resourceVersion", revision}}}};
  return line("BOOKMARK", std::make_shared<const JsonObject>(bookmark));
}

std::optional<std::string> Watch::next() {
  if (!initial_.empty()) {
    const Stored object = std::move(initial_.front());
    initial_.pop_front();
    return line("ADDED", object);
  }
  if (std::exchange(marker_due_, false)) return initial_marker();
  if (has_failed_) return std::exchange(failure_, std::nullopt);
  if (auto change = next_change()) return change;
  // Only now, with no event left, this reader has reached the newest revision.
  if (ended_ || !std::exchange(bookmark_due_, false)) return std::nullopt;
  // A client that has seen more than there is, since etcd was restored.
  if (context_.store->revision() < floor_) return std::nullopt;
  return bookmark();
}

std::optional<std::string> Watch::next_change() {
  const Store& store = *context_.store;
  const std::string& resource = target_.type->storage();
  const std::string prefix = target_.prefix();
  while (cursor_ < store.next_change(resource)) {
    const Change* change = store.change(resource, cursor_);
    if (change == nullptr) {
      end();
      return std::nullopt;
    }
    ++cursor_;
    if (change->revision <= floor_ || !change->key.starts_with(prefix)) continue;
    const bool was_selected = change->before != nullptr && selector_.matches(*change->before);
    const bool is_selected = change->after != nullptr && selector_.matches(*change->after);
    if (!was_selected && !is_selected) continue;
    if (target_.type->unconverted() != nullptr) {
      fail(not_initialized());
      return std::exchange(failure_, std::nullopt);
    }
    if (!is_selected) return line("DELETED", change->last());
    return line(was_selected ? "MODIFIED" : "ADDED", change->after);
  }
  return std::nullopt;
}

void Watch::notify() {
  if (ready_) ready_();
}

void Watch::end() {
  if (std::exchange(ended_, true)) return;
  notify();
}

}  // namespace dcm::apiserver
