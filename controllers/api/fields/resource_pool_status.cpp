#include "controllers/api/resource_pool_status.hpp"

#include "client/api/json/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::api {
namespace {

using Request = ResourcePoolStatusRequest;

struct ConditionPart {
  Word type;
  std::optional<runtime::WallTime> since;
};
constexpr auto fields_of(const ConditionPart*) {
  return rows(row<"type">(&ConditionPart::type), row<"lastTransitionTime">(&ConditionPart::since));
}

void take_condition(const ConditionPart& condition, Request& request) {
  const bool is_answer =
      condition.type == kPoolStatusComplete || condition.type == kPoolStatusFailed;
  if (is_answer && !request.answered) request.answered = condition.since;
}

void note_status(Request& request) {
  request.has_status = true;
}

}  // namespace

constexpr auto fields_of(const ResourcePoolStatusRequest*) {
  return rows(
      row<"metadata">(metadata(row<"creationTimestamp">(&Request::created))),
      row<"spec">(rows(row<"driver">(&Request::driver), row<"poolName">(&Request::pool),
                       row<"limit">(&Request::limit),
                       row<"defaultPartitionTypeAttribute">(&Request::partition_attribute))),
      row<"status">(
          present(note_status, rows(row<"conditions">(each<ConditionPart>(take_condition))))));
}

namespace {

struct RequestFields : TableFields<Request> {
  static constexpr std::string_view kKind = "ResourcePoolStatusRequest";
};

}  // namespace

std::unique_ptr<Decoder<ResourcePoolStatusRequest>> make_json_pool_status_request_decoder() {
  return json::make_decoder<Request>(RequestFields());
}

}  // namespace dcm::api
