// Nodes (core/v1).
#include "allocation/json/decode.hpp"
#include "allocation/json/rows.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::allocation {
namespace {

bool read_taint(Reader& reader, value from, Node& node) {
  Taint taint{.key = {}, .effect = api::TaintEffect::none};
  if (!read_rows(reader, from, taint, Row("key", &Taint::key), Row("value", &Taint::value),
                 Row("effect", &Taint::effect)))
    return false;
  if (taint.prevents_allocation()) node.taints.push_back(std::move(taint));
  return true;
}

bool read_taints(Reader& reader, value from, Node& node) {
  return reader.each_item(from, [&](value item) { return read_taint(reader, item, node); });
}

bool read_allocatable(Reader& reader, value from, Node& node) {
  return reader.each_field(from, [&](std::string_view name, value field) {
    Quantity amount;
    if (!read(reader, field, amount)) return false;
    if (name.contains('/') && amount.sign() > 0) node.plugin_resources.emplace_back(name);
    return true;
  });
}

bool read_metadata(Reader& reader, value from, Node& node) {
  const bool is_read =
      api::json::read_metadata(reader, from, node.meta, [&](std::string_view key, value field) {
        return read_row(reader, key, field, node, Row("labels", &Node::labels));
      });
  node.name = node.meta.key.name;
  return is_read;
}

}  // namespace

bool NodeFields::read_field(Reader& reader, std::string_view key, value field, Node& out) const {
  if (key == "metadata") return read_metadata(reader, field, out);
  if (key == "spec") {
    return read_rows(reader, field, out, Row("unschedulable", &Node::is_unschedulable),
                     Row("taints", read_taints));
  }
  if (key != "status") return true;
  return reader.each_field(field, [&](std::string_view name, value part) {
    return read_status_field(reader, name, part, out);
  });
}

bool NodeFields::read_status_field(Reader& reader, std::string_view key, value field,
                                   Node& out) const {
  return read_row(reader, key, field, out, Row("declaredFeatures", &Node::declared_features),
                  Row("allocatable", read_allocatable));
}

std::unique_ptr<api::Decoder<Node>> make_node_decoder() {
  return std::make_unique<api::json::JsonDecoder<Node, NodeFields>>();
}

}  // namespace dcm::allocation
