// Nodes and namespaces (core/v1).
#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields/parts.hpp"
#include "playground/objects/decode.hpp"

namespace dcm::playground {

using api::each;
using api::row;
using api::rows;
using api::Word;
using api::json::Source;

namespace {

struct NodeCondition {
  Word type;
  Word status;
  std::optional<runtime::WallTime> since;
};
constexpr auto fields_of(const NodeCondition*) {
  return rows(row<"type">(&NodeCondition::type), row<"status">(&NodeCondition::status),
              row<"lastTransitionTime">(&NodeCondition::since));
}

void take_node_condition(const NodeCondition& condition, Node& node) {
  if (condition.type != "Ready" || condition.status != "True") return;
  node.is_ready = true;
  node.ready_since = condition.since;
}

void take_finalizer(Word finalizer, Namespace& out) {
  out.is_to_be_emptied |= finalizer == "kubernetes";
}

}  // namespace

// What allocation reads, and the condition.
constexpr auto fields_of(const Node*) {
  constexpr auto conditions = row<"conditions">(each<NodeCondition>(take_node_condition));
  constexpr auto as_allocation = [](std::string_view key, const Source& from, Node& node) {
    return allocation::NodeFields().read_field({}, key, from, node);
  };
  return rows(row<"status">(rows(conditions).otherwise(&allocation::read_status_field)))
      .otherwise(as_allocation);
}

constexpr auto fields_of(const Namespace*) {
  return rows(row<"metadata">(api::metadata()),
              row<"spec">(rows(row<"finalizers">(each<Word>(take_finalizer)))));
}

std::unique_ptr<api::Decoder<Namespace>> make_namespace_decoder() {
  return api::json::make_decoder<Namespace>(api::TableFields<Namespace>());
}

std::unique_ptr<api::Decoder<Node>> make_node_decoder() {
  return api::json::make_decoder<Node>(api::TableFields<Node>());
}

}  // namespace dcm::playground
