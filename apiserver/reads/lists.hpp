// GET of a collection: selectors, pages with continue tokens, and the rules for resourceVersion and
// resourceVersionMatch.
#pragma once

#include "apiserver/reads/list_text.hpp"
#include "apiserver/reads/selectors.hpp"
#include "apiserver/requests/request.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

// The common part of lists and watches.
struct ListTarget {
  const ResourceType* type;
  std::string version;
  std::string ns;  // "" for all
  // Keeps `type` of a defined kind alive: its definition may change during a list or watch.
  std::shared_ptr<const ResourceType> kept = {};

  std::string prefix() const { return ns.empty() ? "" : ns + "/"; }
};

ListTarget list_target(const ResourceType& type, std::string version, std::string ns);

struct Page {
  std::vector<Stored> objects;
  JsonObject metadata;  // a ListMeta
};
Result<Page> select_page(const Store& store, const ListTarget& target, const Query& query);

// A list in the format of its kind.
ListText list_text(const ListTarget& target, const JsonObject& metadata, Encoding encoding);
// The same in JSON, for any kind: `{"kind":…,"apiVersion":…,"metadata":…,"items":[`.
ListText json_list_text(std::string_view kind, std::string_view api_version,
                        const JsonObject& metadata, std::function<std::string(const Stored&)> item);

// The `resourceVersion` of a query; "" is 0. nullopt if it is no number.
std::optional<Revision> parse_revision(std::string_view text);
// Of a read of one object: 500 if its resourceVersion is no number, 504 if it has not been reached.
Result<> check_version_reached(const Store& store, const Query& query);
// The message about an invalid revision.
std::string not_a_revision(std::string_view text);

}  // namespace dcm::apiserver
