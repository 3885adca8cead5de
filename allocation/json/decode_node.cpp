// Nodes (core/v1).
#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::allocation {
namespace {

using api::row;
using api::rows;
using api::json::Source;

constexpr auto taint() {
  return rows(row<"key">(&Taint::key), row<"value">(&Taint::value), row<"effect">(&Taint::effect));
}

bool read_taint(const Source& from, Node& node) {
  Taint read{.key = {}, .effect = api::TaintEffect::none};
  if (!read_fields(from, read, taint())) return false;
  if (prevents_allocation(read.effect)) node.taints.push_back(std::move(read));
  return true;
}

bool read_taints(const Source& from, Node& node) {
  return from.each_item([&](const Source& item) { return read_taint(item, node); });
}

bool read_allocatable(const Source& from, Node& node) {
  return from.each_field([&](std::string_view name, const Source& field) {
    Quantity amount;
    if (!field.read(amount)) return false;
    if (name.contains('/') && amount.sign() > 0) node.plugin_resources.emplace_back(name);
    return true;
  });
}

bool read_metadata(const Source& from, Node& node) {
  const bool is_read = api::metadata(row<"labels">(&Node::labels))(from, node);
  node.name = node.meta.key.name;
  return is_read;
}

constexpr auto kStatus =
    rows(row<"declaredFeatures">(&Node::declared_features), row<"allocatable">(&read_allocatable));
}  // namespace

constexpr auto fields_of(const Node*) {
  return rows(
      row<"metadata">(&read_metadata),
      row<"spec">(rows(row<"unschedulable">(&Node::is_unschedulable), row<"taints">(&read_taints))),
      row<"status">(kStatus));
}

bool read_status_field(std::string_view key, const Source& from, Node& out) {
  return read_field(kStatus, key, from, out);
}

template <>
bool JsonFields<Node>::read_field(std::string_view, std::string_view key, const Source& from,
                                  Node& out) const {
  return api::read_field(api::kFieldsOf<Node>, key, from, out);
}

std::unique_ptr<api::Decoder<Node>> make_node_decoder() {
  return api::json::make_decoder<Node>(JsonFields<Node>());
}

}  // namespace dcm::allocation
