// Device classes, slices, nodes and namespaces (resource.k8s.io/v1, KEP-4381; core/v1).
#include "client/api/json/decoder.hpp"
#include "cmd/dra-playground/objects/decode.hpp"
#include "cmd/dra-playground/objects/unknown.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::playground {
namespace {

using api::json::Reader;
using api::json::value;

// The driver of `device.driver == "gpu.example.com"`; nothing for any other CEL expression.
std::optional<std::string_view> driver_of(std::string_view expression) {
  constexpr std::string_view kHead = "device.driver == ";
  if (!expression.starts_with(kHead)) return std::nullopt;
  expression.remove_prefix(kHead.size());
  if (expression.size() < 3) return std::nullopt;
  const char quote = expression.front();
  const std::string_view name = expression.substr(1, expression.size() - 2);
  const bool is_literal = (quote == '"' || quote == '\'') && expression.back() == quote &&
                          name.find_first_of("\"'\\ ") == std::string_view::npos;
  return is_literal ? std::optional(name) : std::nullopt;
}

bool read_selector(Reader& reader, value selector, DeviceClass& device_class) {
  std::string expression;
  const bool is_read = reader.each_field(selector, [&](std::string_view key, value field) {
    if (key != "cel") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      return name != "expression" || reader.text(part, expression);
    });
  });
  if (!is_read) return false;
  const auto driver = driver_of(expression);
  if (driver && device_class.driver.empty()) {
    device_class.driver = *driver;
  } else if (!driver || device_class.driver != InternedString(*driver)) {
    note_unknown(device_class.unsupported, "the selector " + expression);
  }
  return true;
}

bool read_config(Reader& reader, value item, DeviceClass& device_class) {
  std::string_view text;
  if (!reader.raw_object(item, text, [](std::string_view, value) { return true; })) return false;
  device_class.config.push_back({std::string(text)});
  return true;
}

struct DeviceClassFields {
  bool read_field(Reader& reader, std::string_view key, value field, DeviceClass& out) const {
    if (key == "metadata") return api::json::read_metadata(reader, field, out.meta);
    if (key != "spec") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name == "selectors") {
        return reader.each_item(part, [&](value item) { return read_selector(reader, item, out); });
      }
      if (name == "config") {
        return reader.each_item(part, [&](value item) { return read_config(reader, item, out); });
      }
      // Pods that use the resource are refused themselves.
      return name == "extendedResourceName" || note_if_asked(out.unsupported, name, part);
    });
  }
  bool is_kept(const DeviceClass&) const { return true; }
};

// Attributes and capacity matter to selectors, constraints and capacity requests alone, and claims
// with these are refused.
bool read_device(Reader& reader, value item, SliceDevice& device) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, device.name);
    if (key == "attributes" || key == "capacity") return true;
    if (key != "taints") return note_if_asked(device.unknown, key, field);
    return reader.each_item(field, [&](value taint) {
      api::DeviceTaint read;
      if (!api::json::read_taint(reader, taint, read)) return false;
      if (keeps_off(read)) device.taints.push_back(std::move(read));
      return true;
    });
  });
}

bool read_pool(Reader& reader, value pool, Slice& slice) {
  return reader.each_field(pool, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, slice.pool);
    if (key == "generation") return reader.integer(field, slice.generation);
    return key != "resourceSliceCount" || reader.integer(field, slice.slice_count);
  });
}

struct SliceFields {
  bool read_field(Reader& reader, std::string_view key, value field, Slice& slice) const {
    if (key == "metadata") return api::json::read_metadata(reader, field, slice.meta);
    if (key != "spec") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name == "driver") return reader.text(part, slice.driver);
      if (name == "nodeName") return reader.text(part, slice.node);
      if (name == "pool") return read_pool(reader, part, slice);
      // Counters matter to the devices that consume them, and these say so.
      if (name == "sharedCounters") return true;
      if (name != "devices") return note_if_asked(slice.unknown, name, part);
      return reader.each_item(part, [&](value item) {
        return read_device(reader, item, slice.devices.emplace_back());
      });
    });
  }
  bool is_kept(const Slice&) const { return true; }
};

// Tolerations of pods are not read, so a tainted node is for none of them.
bool read_node_taint(Reader& reader, value taint, Node& node) {
  std::string_view name;
  std::string_view effect;
  const bool is_read = reader.each_field(taint, [&](std::string_view key, value field) {
    if (key == "key") return reader.view(field, name);
    return key != "effect" || reader.view(field, effect);
  });
  const bool keeps_away = effect == "NoSchedule" || effect == "NoExecute";
  if (is_read && keeps_away) node.closed = "has the taint " + std::string(name);
  return is_read;
}

bool read_node_metadata(Reader& reader, value metadata, Node& node) {
  return api::json::read_metadata(
      reader, metadata, node.meta, [&](std::string_view key, value field) {
        if (key != "labels") return true;
        return reader.each_field(field, [&](std::string_view label, value part) {
          return label != kHostnameLabel || reader.text(part, node.hostname);
        });
      });
}

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
    if (key != "conditions") return true;
    return reader.each_item(field, [&](value item) { return read_condition(reader, item, node); });
  });
}

struct NodeFields {
  bool read_field(Reader& reader, std::string_view key, value field, Node& node) const {
    if (key == "metadata") return read_node_metadata(reader, field, node);
    if (key == "status") return read_node_status(reader, field, node);
    if (key != "spec") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name == "taints") {
        return reader.each_item(part,
                                [&](value taint) { return read_node_taint(reader, taint, node); });
      }
      if (name != "unschedulable") return true;
      bool is_off = false;
      if (!reader.flag(part, is_off)) return false;
      if (is_off) node.closed = "is unschedulable";
      return true;
    });
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

std::unique_ptr<api::Decoder<DeviceClass>> make_device_class_decoder() {
  return std::make_unique<api::json::JsonDecoder<DeviceClass, DeviceClassFields>>();
}

std::unique_ptr<api::Decoder<Slice>> make_slice_decoder() {
  return std::make_unique<api::json::JsonDecoder<Slice, SliceFields>>();
}

std::unique_ptr<api::Decoder<Node>> make_node_decoder() {
  return std::make_unique<api::json::JsonDecoder<Node, NodeFields>>();
}

}  // namespace dcm::playground
