// Nodes and namespaces (core/v1).
#include "allocation/json/decode.hpp"
#include "allocation/json/rows.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/json/parts.hpp"
#include "playground/objects/decode.hpp"

namespace dcm::playground {
namespace {

using api::json::Reader;
using api::json::value;

bool read_condition(Reader& reader, value item, Node& node) {
  std::string_view type;
  std::string_view status;
  std::optional<runtime::WallTime> since;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "type") return reader.view(field, type);
    if (key == "status") return reader.view(field, status);
    return key != "lastTransitionTime" || api::json::read_time(reader, field, since);
  });
  if (!is_read || type != "Ready" || status != "True") return is_read;
  node.is_ready = true;
  node.ready_since = since;
  return true;
}

bool read_node_status(Reader& reader, value status, Node& node) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "conditions") {
      return reader.each_item(field,
                              [&](value item) { return read_condition(reader, item, node); });
    }
    return allocation::NodeFields().read_status_field(reader, key, field, node);
  });
}

struct NodeFields {
  bool read_field(Reader& reader, std::string_view key, value field, Node& node) const {
    if (key == "status") return read_node_status(reader, field, node);
    return allocation::NodeFields().read_field(reader, key, field, node);
  }
  bool is_kept(const Node&) const { return true; }
};

struct NamespaceFields {
  bool read_field(Reader& reader, std::string_view key, value field, Namespace& out) const {
    if (key == "metadata") return api::json::read_metadata(reader, field, out.meta);
    if (key != "spec") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name != "finalizers") return true;
      return reader.each_item(part, [&](value item) {
        std::string finalizer;
        if (!reader.text(item, finalizer)) return false;
        out.is_to_be_emptied |= finalizer == "kubernetes";
        return true;
      });
    });
  }
  bool is_kept(const Namespace&) const { return true; }
};

}  // namespace

std::unique_ptr<api::Decoder<Namespace>> make_namespace_decoder() {
  return std::make_unique<api::json::JsonDecoder<Namespace, NamespaceFields>>();
}

std::unique_ptr<api::Decoder<Node>> make_node_decoder() {
  return std::make_unique<api::json::JsonDecoder<Node, NodeFields>>();
}

}  // namespace dcm::playground
