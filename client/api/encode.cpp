#include "client/api/encode.hpp"

#include <boost/json.hpp>

#include "runtime/timestamp.hpp"

namespace dcm::api {
namespace {

using boost::json::object;

std::string to_text(const object& body) {
  return boost::json::serialize(body);
}

object to_json(const ObjectReference& reference) {
  object result{{"apiVersion", reference.api_version}, {"kind", reference.kind}};
  if (!reference.key.namespace_.empty()) result["namespace"] = reference.key.namespace_.str();
  result["name"] = reference.key.name.str();
  result["uid"] = reference.uid.str();
  if (!reference.resource_version.empty()) result["resourceVersion"] = reference.resource_version;
  return result;
}

}  // namespace

std::string encode_delete_options(const Uid& uid) {
  return to_text({{"apiVersion", "v1"},
                  {"kind", "DeleteOptions"},
                  {"preconditions", object{{"uid", uid.str()}}}});
}

std::string encode_event(const Event& event) {
  return to_text(
      {{"apiVersion", "v1"},
       {"kind", "Event"},
       {"metadata", object{{"name", event.key.name}, {"namespace", event.key.namespace_.str()}}},
       {"involvedObject", to_json(event.involved_object)},
       {"type", event.type == EventType::normal ? "Normal" : "Warning"},
       {"reason", event.reason},
       {"message", event.message},
       {"source", object{{"component", event.component}}},
       {"reportingComponent", event.component},
       {"reportingInstance", ""},
       {"count", event.count},
       {"firstTimestamp", runtime::timestamp(event.first_time)},
       {"lastTimestamp", runtime::timestamp(event.last_time)}});
}

std::string encode_event_repetition(const Event& event) {
  return to_text({{"count", event.count},
                  {"lastTimestamp", runtime::timestamp(event.last_time)},
                  {"message", event.message}});
}

}  // namespace dcm::api
