// Device classes, slices, nodes and namespaces (resource.k8s.io/v1, KEP-4381; core/v1).
#include "client/api/json/decoder.hpp"
#include "cmd/dra-playground/objects/decode.hpp"
#include "controllers/api/json/device_taint.hpp"

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
    device_class.unsupported = "the selector " + expression;
  }
  return true;
}

struct DeviceClassFields {
  bool read_field(Reader& reader, std::string_view key, value field, DeviceClass& out) const {
    if (key == "metadata") return api::json::read_metadata(reader, field, out.meta);
    if (key != "spec") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name == "config") {
        return reader.each_item(part, [&](value) {
          out.unsupported = name;
          return true;
        });
      }
      if (name != "selectors") return true;
      return reader.each_item(part, [&](value item) { return read_selector(reader, item, out); });
    });
  }
  bool is_kept(const DeviceClass&) const { return true; }
};

// What makes a device more than a thing that one claim has as a whole.
bool is_beyond_us(std::string_view key) {
  return key == "consumesCounters" || key == "bindingConditions" || key == "nodeName" ||
         key == "nodeSelector" || key == "allNodes";
}

bool read_device(Reader& reader, value item, SliceDevice& device, bool& is_ours) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, device.name);
    if (is_beyond_us(key)) {
      is_ours = false;
      return true;
    }
    if (key == "allowMultipleAllocations") {
      bool is_shared = false;
      if (!reader.flag(field, is_shared)) return false;
      is_ours = is_ours && !is_shared;
      return true;
    }
    if (key != "taints") return true;
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
    return true;
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
      if (name != "devices") return true;
      return reader.each_item(part, [&](value item) {
        bool is_ours = true;
        const bool is_read = read_device(reader, item, slice.devices.emplace_back(), is_ours);
        // Nobody is given what this scheduler would count wrongly.
        if (!is_ours) slice.devices.pop_back();
        return is_read;
      });
    });
  }
  bool is_kept(const Slice& slice) const { return !slice.node.empty(); }
};

// Tolerations of pods are not read, so a tainted node is for none of them. What Kubernetes itself
// says of a node's state (node.kubernetes.io/…) comes and goes, also of nodes that are hollow.
bool read_node_taint(Reader& reader, value taint, Node& node) {
  std::string_view name;
  std::string_view effect;
  const bool is_read = reader.each_field(taint, [&](std::string_view key, value field) {
    if (key == "key") return reader.view(field, name);
    return key != "effect" || reader.view(field, effect);
  });
  const bool keeps_away = effect == "NoSchedule" || effect == "NoExecute";
  if (is_read && keeps_away && !name.starts_with("node.kubernetes.io/"))
    node.is_schedulable = false;
  return is_read;
}

struct NodeFields {
  bool read_field(Reader& reader, std::string_view key, value field, Node& node) const {
    if (key == "metadata") return api::json::read_metadata(reader, field, node.meta);
    if (key != "spec") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name == "taints") {
        return reader.each_item(part,
                                [&](value taint) { return read_node_taint(reader, taint, node); });
      }
      if (name != "unschedulable") return true;
      bool is_off = false;
      if (!reader.flag(part, is_off)) return false;
      node.is_schedulable = node.is_schedulable && !is_off;
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
