// The columns of Services and what belongs to them.
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/printers/printer_parts.hpp"
#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/label_selector.hpp"

namespace dcm::apiserver {

namespace {

using runtime::WallTime;
using Texts = std::vector<std::string>;

constexpr std::size_t kShownAddresses = 3;

std::string joined(const Texts& texts) {
  return fmt::format("{}", fmt::join(texts, ","));
}

Texts texts_of(const JsonArray& items) {
  Texts texts;
  for (const Json& item : items) {
    if (item.is_string()) texts.emplace_back(view(item.get_string()));
  }
  return texts;
}

// All are counted, few are shown; "<none>" without any.
std::string some_of(const Texts& texts) {
  if (texts.empty()) return "<none>";
  if (texts.size() <= kShownAddresses) return joined(texts);
  const Texts first(texts.begin(), texts.begin() + kShownAddresses);
  return fmt::format("{} + {} more...", joined(first), texts.size() - kShownAddresses);
}

Texts balancer_addresses(const JsonObject& service) {
  std::set<std::string> addresses;
  for (const Json& item : array_at(service, {"status", "loadBalancer", "ingress"})) {
    const std::string_view ip = text_at(as_object(item), {"ip"});
    const std::string_view host = text_at(as_object(item), {"hostname"});
    if (!ip.empty() || !host.empty()) addresses.emplace(ip.empty() ? host : ip);
  }
  return {addresses.begin(), addresses.end()};
}

std::string external_address(const JsonObject& service) {
  const std::string_view type = text_at(service, {"spec", "type"});
  if (type == "ExternalName") return std::string(text_at(service, {"spec", "externalName"}));
  const Texts own = texts_of(array_at(service, {"spec", "externalIPs"}));
  if (type == "ClusterIP" || type == "NodePort") return own.empty() ? "<none>" : joined(own);
  if (type != "LoadBalancer") return "<unknown>";
  Texts all = balancer_addresses(service);
  all.insert(all.end(), own.begin(), own.end());
  return all.empty() ? "<pending>" : joined(all);
}

std::string ports_of(const JsonObject& service) {
  Texts ports;
  for (const Json& item : array_at(service, {"spec", "ports"})) {
    const JsonObject& port = as_object(item);
    const std::int64_t of_node = number_at(port, {"nodePort"});
    ports.push_back(fmt::format("{}{}/{}", number_at(port, {"port"}),
                                of_node > 0 ? fmt::format(":{}", of_node) : "",
                                text_at(port, {"protocol"})));
  }
  return ports.empty() ? "<none>" : joined(ports);
}

JsonArray service_cells(const JsonObject& service, WallTime now) {
  const Texts own = texts_of(array_at(service, {"spec", "clusterIPs"}));
  return {name_of(service),
          Json(text_at(service, {"spec", "type"})),
          Json(own.empty() ? "<none>" : own.front()),
          Json(external_address(service)),
          Json(ports_of(service)),
          age(service, now),
          Json(labels_text(object_at(service, {"spec", "selector"})))};
}

std::string with_port(std::string_view address, std::int64_t port) {
  const bool is_v6 = address.contains(':');
  return is_v6 ? fmt::format("[{}]:{}", address, port) : fmt::format("{}:{}", address, port);
}

JsonArray endpoints_cells(const JsonObject& endpoints, WallTime now) {
  Texts addresses;
  for (const Json& item : array_at(endpoints, {"subsets"})) {
    const JsonObject& subset = as_object(item);
    const auto add = [&](auto text_of) {
      for (const Json& address : array_at(subset, {"addresses"})) {
        addresses.push_back(text_of(text_at(as_object(address), {"ip"})));
      }
    };
    const JsonArray& ports = array_at(subset, {"ports"});
    if (ports.empty()) add([](std::string_view ip) { return std::string(ip); });
    for (const Json& port : ports) {
      const std::int64_t number = number_at(as_object(port), {"port"});
      add([&](std::string_view ip) { return with_port(ip, number); });
    }
  }
  const bool has_subsets = !array_at(endpoints, {"subsets"}).empty();
  return {name_of(endpoints), Json(addresses.empty() && has_subsets ? "" : some_of(addresses)),
          age(endpoints, now)};
}

std::string port_of_slice(const JsonObject& port) {
  if (const auto number = integer_at(port, {"port"})) return fmt::format("{}", *number);
  return has(port, {"name"}) ? std::string(text_at(port, {"name"})) : "*";
}

JsonArray endpoint_slice_cells(const JsonObject& slice, WallTime now) {
  Texts ports;
  for (const Json& port : array_at(slice, {"ports"})) {
    ports.push_back(port_of_slice(as_object(port)));
  }
  Texts addresses;
  for (const Json& endpoint : array_at(slice, {"endpoints"})) {
    for (std::string& text : texts_of(array_at(as_object(endpoint), {"addresses"}))) {
      addresses.push_back(std::move(text));
    }
  }
  const auto shown_of = [](const Texts& texts) {
    return texts.empty() ? std::string("<unset>") : some_of(texts);
  };
  return {name_of(slice), Json(text_at(slice, {"addressType"})), Json(shown_of(ports)),
          Json(shown_of(addresses)), age(slice, now)};
}

JsonArray network_policy_cells(const JsonObject& policy, WallTime now) {
  return {name_of(policy), Json(selector_text(find(policy, {"spec", "podSelector"}))),
          age(policy, now)};
}

std::string hosts_of(const JsonObject& ingress) {
  const JsonArray& rules = array_at(ingress, {"spec", "rules"});
  Texts hosts;
  for (const Json& rule : rules) {
    const std::string_view host = text_at(as_object(rule), {"host"});
    if (hosts.size() < kShownAddresses && !host.empty()) hosts.emplace_back(host);
  }
  if (hosts.empty()) return "*";
  const bool are_all = hosts.size() < kShownAddresses || rules.size() <= kShownAddresses;
  if (are_all) return joined(hosts);
  return fmt::format("{} + {} more...", joined(hosts), rules.size() - kShownAddresses);
}

JsonArray ingress_cells(const JsonObject& ingress, WallTime now) {
  const bool is_secure = !array_at(ingress, {"spec", "tls"}).empty();
  return {name_of(ingress),
          text_or(ingress, {"spec", "ingressClassName"}, "<none>"),
          Json(hosts_of(ingress)),
          Json(joined(balancer_addresses(ingress))),
          Json(is_secure ? "80, 443" : "80"),
          age(ingress, now)};
}

JsonArray ingress_class_cells(const JsonObject& ingress, WallTime now) {
  std::string parameters = "<none>";
  if (has(ingress, {"spec", "parameters"})) {
    const JsonObject& shown = object_at(ingress, {"spec", "parameters"});
    parameters = text_at(shown, {"kind"});
    if (has(shown, {"apiGroup"})) parameters += fmt::format(".{}", text_at(shown, {"apiGroup"}));
    parameters += fmt::format("/{}", text_at(shown, {"name"}));
  }
  return {name_of(ingress), Json(text_at(ingress, {"spec", "controller"})), Json(parameters),
          age(ingress, now)};
}

}  // namespace

Printers network_printers() {
  return {
      {"Service",
       {{name_column(), shown("Type"), shown("Cluster-IP"), shown("External-IP"), shown("Port(s)"),
         age_column(), wide("Selector")},
        service_cells}},
      {"Ingress",
       {{name_column(), shown("Class"), shown("Hosts"), shown("Address"), shown("Ports"),
         age_column()},
        ingress_cells}},
      {"IngressClass",
       {{name_column(), shown("Controller"), shown("Parameters"), age_column()},
        ingress_class_cells}},
      {"Endpoints", {{name_column(), shown("Endpoints"), age_column()}, endpoints_cells}},
      {"EndpointSlice",
       {{name_column(), shown("AddressType"), shown("Ports"), shown("Endpoints"), age_column()},
        endpoint_slice_cells}},
      {"NetworkPolicy",
       {{name_column(), shown("Pod-Selector"), age_column()}, network_policy_cells}},
  };
}

}  // namespace dcm::apiserver
