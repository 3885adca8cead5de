#include "apiserver/reads/lists.hpp"

#include <charconv>
#include <span>

#include <fmt/format.h>

#include "apiserver/fields/encode.hpp"
#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/rules/checks.hpp"
#include "runtime/base64.hpp"

namespace dcm::apiserver {

namespace {

struct ContinueToken {
  Revision revision;  // 0: the newest (an inconsistent continuation)
  std::string start;  // the first key of the next page
};

std::string encode_token(const ContinueToken& token) {
  const auto revision = token.revision == 0 ? -1 : static_cast<std::int64_t>(token.revision);
  return runtime::encode_base64_url(
      serialize(JsonObject{{"v", "meta.k8s.io/v1"}, {"rv", revision}, {"start", token.start}}));
}

Result<ContinueToken> decode_token(std::string_view text) {
  const auto wrong = [] {
    return std::unexpected(bad_request("invalid continue token: it is not one of this server"));
  };
  const auto decoded = runtime::decode_base64_url(text);
  std::string problem;
  const auto json = decoded ? parse(*decoded, problem) : std::nullopt;
  if (!json || !json->is_object()) return wrong();
  const auto revision = integer_at(json->get_object(), {"rv"});
  const std::string_view start = text_at(json->get_object(), {"start"});
  if (!revision || start.empty()) return wrong();
  return ContinueToken{*revision < 0 ? 0 : static_cast<Revision>(*revision), std::string(start)};
}

Result<> check_options(const Query& query) {
  const std::string_view match = query.get("resourceVersionMatch");
  const std::string_view version = query.get("resourceVersion");
  Causes causes;
  if (!match.empty() && version.empty()) {
    causes.push_back(
        forbidden_value("resourceVersionMatch",
                        "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (!match.empty() && query.has("continue") && !query.get("continue").empty()) {
    causes.push_back(forbidden_value(
        "resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (!match.empty() && match != "Exact" && match != "NotOlderThan") {
    causes.push_back({"FieldValueNotSupported",
                      fmt::format("Unsupported value: \"{}\": supported values: \"Exact\", "
                                  "\"NotOlderThan\", \"\"",
                                  match),
                      "resourceVersionMatch"});
  }
  if (match == "Exact" && version == "0") {
    causes.push_back(
        forbidden_value("resourceVersionMatch",
                        "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
  }
  if (query.has("sendInitialEvents")) {
    causes.push_back(
        forbidden_value("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (!causes.empty()) return std::unexpected(invalid_options("ListOptions", causes));
  return {};
}

ApiError expired_token(const Store& store, const ContinueToken& token) {
  ApiError error = expired(fmt::format(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this "
      "response to retrieve the remainder of the results. Continuing with the provided token "
      "results in an inconsistent list - objects that were created, modified, or deleted between "
      "the time the first chunk was returned and now may show up in the list. (now at {})",
      store.revision()));
  error.metadata["continue"] = encode_token({0, token.start});
  return error;
}

// 0: no limit. A list of any age comes from the watch cache, which does not page; events have none.
Result<std::size_t> page_limit(const ResourceType& type, const Query& query) {
  for (const auto* name : {"limit", "timeoutSeconds"}) {
    if (auto number = query.check_integer(name); !number) {
      return std::unexpected(std::move(number.error()));
    }
  }
  const std::int64_t limit = query.integer("limit").value_or(0);
  const bool is_any_age = query.get("resourceVersion") == "0" && !type.is("Event");
  return is_any_age || limit < 0 ? 0 : static_cast<std::size_t>(limit);
}

// Only the newest state has indexes, not one requested by its version.
enum class Indexed { no, yes };

struct View {
  Revision revision;
  std::string start;
  Indexed indexed = Indexed::yes;
};

// Which state to show, and where to start.
Result<View> choose_view(const Store& store, const ListTarget& target, const Query& query,
                         const Selector& selector) {
  if (const auto text = query.get("continue"); !text.empty()) {
    auto token = decode_token(text);
    if (!token) return std::unexpected(std::move(token.error()));
    if (!query.get("resourceVersion").empty() && query.get("resourceVersion") != "0") {
      return std::unexpected(
          bad_request("specifying resource version is not allowed when using continue"));
    }
    if (token->revision == 0) return View{store.revision(), token->start};
    if (token->revision > store.revision() ||
        !store.is_kept(target.type->storage(), token->revision)) {
      return std::unexpected(expired_token(store, *token));
    }
    return View{token->revision, token->start};
  }
  const auto wanted = parse_revision(query.get("resourceVersion"));
  if (!wanted) {
    return std::unexpected(
        bad_request("invalid resource version: " + not_a_revision(query.get("resourceVersion"))));
  }
  if (*wanted > store.revision()) {
    return std::unexpected(version_too_large(*wanted, store.revision()));
  }
  // Pages that start at a version show that version, as before resourceVersionMatch existed.
  const std::string_view match = query.get("resourceVersionMatch");
  const bool pages_of_version = match.empty() && *wanted > 0 && !selector.selects_one_name() &&
                                query.integer("limit").value_or(0) > 0;
  if (match != "Exact" && !pages_of_version) return View{store.revision(), ""};
  if (store.is_kept(target.type->storage(), *wanted)) return View{*wanted, "", Indexed::no};
  return std::unexpected(expired("The resourceVersion for the provided list is too old."));
}

// A list of one name is a look-up, if the newest state is requested.
std::vector<Store::Entry> entries_of(const Store& store, const ListTarget& target,
                                     const Selector& selector, const View& view) {
  const std::string& storage = target.type->storage();
  const bool is_placed = !target.type->namespaced() || !target.ns.empty();
  const auto name = selector.selected_name();
  if (!name || !view.start.empty() || view.revision != store.revision()) {
    return store.list(storage, target.prefix(), view.start, view.revision);
  }
  if (!is_placed) return store.list_named(storage, *name);
  const std::string key = object_key(target.ns, *name);
  Stored object = store.get(storage, key);
  if (object == nullptr) return {};
  return {{key, std::move(object)}};
}

// Refused if one of the objects would have to be converted by a webhook.
Result<> check_readable(const ResourceType& type, std::span<const Store::Entry> entries) {
  if (type.unconverted() == nullptr || entries.empty()) return {};
  const auto& [key, object] = entries.front();
  return std::unexpected(
      unreadable_list(type, key, text_at(*object, {"metadata", "resourceVersion"})));
}

}  // namespace

ListTarget list_target(const ResourceType& type, std::string version, std::string ns) {
  if (type.defined == nullptr) return {&type, std::move(version), std::move(ns)};
  auto kept = std::make_shared<const ResourceType>(type);
  return {kept.get(), std::move(version), std::move(ns), kept};
}

std::optional<Revision> parse_revision(std::string_view text) {
  Revision revision = 0;
  if (text.empty()) return revision;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return revision;
}

Result<> check_version_reached(const Store& store, const Query& query) {
  const std::string_view version = query.get("resourceVersion");
  const auto wanted = parse_revision(version);
  if (!wanted) return std::unexpected(plain_failure(not_a_revision(version)));
  if (*wanted > store.revision()) {
    return std::unexpected(version_too_large(*wanted, store.revision()));
  }
  return {};
}

std::string not_a_revision(std::string_view text) {
  return fmt::format(
      "resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: parsing \"{0}\": invalid syntax",
      text);
}

Result<Page> select_page(const Store& store, const ListTarget& target, const Query& query) {
  if (auto checked = check_options(query); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  auto selector =
      Selector::parse(*target.type, query.get("labelSelector"), query.get("fieldSelector"));
  if (!selector) return std::unexpected(std::move(selector.error()));
  const auto view = choose_view(store, target, query, *selector);
  if (!view) return std::unexpected(view.error());

  const auto limit = page_limit(*target.type, query);
  if (!limit) return std::unexpected(limit.error());
  auto entries = entries_of(store, target, *selector, *view);
  if (auto readable = check_readable(*target.type, entries); !readable) {
    return std::unexpected(std::move(readable.error()));
  }
  // Pods are indexed by node: only those of the node are visited and counted into pages.
  const bool is_by_index = view->indexed == Indexed::yes && query.get("continue").empty();
  if (selector->selects_node() && is_by_index) {
    std::erase_if(entries,
                  [&](const auto& entry) { return !selector->matches_node(*entry.object); });
  }
  Page page;
  std::size_t at = 0;
  for (; at < entries.size() && (*limit == 0 || page.objects.size() < *limit); ++at) {
    if (!selector->matches(*entries[at].object)) continue;
    page.objects.push_back(std::move(entries[at].object));
  }
  page.metadata["resourceVersion"] = std::to_string(view->revision);
  // A selection by name is a look-up, which has no pages, unless the request continues a list.
  const bool is_by_name = selector->selects_one_name() && query.get("continue").empty();
  if (at < entries.size() && !is_by_name) {
    page.metadata["continue"] = encode_token({view->revision, entries[at].key});
    if (selector->selects_everything()) page.metadata["remainingItemCount"] = entries.size() - at;
  }
  return page;
}

ListText json_list_text(std::string_view kind, std::string_view api_version,
                        const JsonObject& metadata,
                        std::function<std::string(const Stored&)> item) {
  std::string head = fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{},"items":[)", kind,
                                 api_version, serialize(metadata));
  return {.item = std::move(item),
          .between = ",",
          .head = [head = std::move(head)](std::size_t) { return head; },
          .tail = "]}"};
}

ListText list_text(const ListTarget& target, const JsonObject& metadata, Encoding encoding) {
  if (target.type->defined != nullptr && !metadata.contains("continue")) {
    JsonObject shown = metadata;
    shown["continue"] = "";
    return list_text(target, shown, encoding);
  }
  const auto item = [target, encoding](const Stored& object) {
    return encode(*target.type, target.version, *object, encoding, target.type->item_meta());
  };
  const std::string kind = target.type->list_kind();
  const std::string api_version = target.type->api_version(target.version);
  if (encoding == Encoding::json) return json_list_text(kind, api_version, metadata, item);
  return {
      .item = [item](const Stored& object) { return protobuf_list_item(item(object)); },
      .between = "",
      .head =
          [=](std::size_t bytes) { return protobuf_list_head(api_version, kind, metadata, bytes); },
      .tail = "",
      .head_is_made = ListText::HeadIsMade::last};
}

}  // namespace dcm::apiserver
