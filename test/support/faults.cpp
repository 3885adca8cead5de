#include "test/support/faults.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <boost/json.hpp>

#include "test/support/fault_control.hpp"
#include "test/support/paths.hpp"

namespace dcm::support {
namespace {

namespace json = boost::json;

std::string fresh(const std::string& file) {
  std::filesystem::remove(file);
  return file;
}

Process::Command command_for(const Access& server, const std::string& prefix,
                             const std::string& output) {
  Process::Command command{.arguments = {binary("dcm-fault-proxy"), "--upstream=" + server.server},
                           .environment = {},
                           .output = output};
  if (!server.ca_file.empty()) command.arguments.push_back("--upstream-ca=" + server.ca_file);
  if (server.server.starts_with("https:")) {
    command.arguments.emplace_back("--tls");
    command.arguments.push_back("--ca-out=" + fresh(prefix + ".ca"));
  }
  return command;
}

json::value to_json(const Rule& rule) {
  json::object headers;
  for (const auto& [name, value] : rule.fault.answer.headers) headers[name] = value;
  return {{"method", rule.method},
          {"target", rule.target},
          {"skip", rule.skip},
          {"times", rule.times},
          {"fault", to_string(rule.fault.kind)},
          {"status", rule.fault.answer.status},
          {"headers", headers},
          {"body", rule.fault.answer.body},
          {"bytes", rule.fault.bytes}};
}

std::string text(const json::value& object, const char* name) {
  return std::string(object.at(name).as_string());
}

std::size_t number(const json::value& object, const char* name) {
  return object.at(name).to_number<std::size_t>();
}

}  // namespace

Faults::Faults(const Access& server, const std::string& prefix)
    : output_(fresh(prefix + ".log")),
      kubeconfig_(fresh(prefix + ".kubeconfig")),
      process_(command_for(server, prefix, output_)) {
  Access access = server;
  access.server = await_line("server: ");
  if (!access.ca_file.empty()) access.ca_file = prefix + ".ca";
  write_kubeconfig(kubeconfig_, access);
  control_ = std::make_unique<BlockingClient>(await_line("control: "));
}

std::string Faults::log() const {
  return read_file(output_);
}

std::string Faults::await_line(const std::string& key) {
  std::string found;
  const bool is_there = eventually([&] {
    std::ifstream output(output_);
    for (std::string line; std::getline(output, line);) {
      if (line.starts_with(key) && !output.eof()) found = line.substr(key.size());
    }
    return !found.empty() || process_.exit_status();
  });
  if (!is_there || found.empty()) throw std::runtime_error("the fault proxy: " + log());
  return found;
}

std::size_t Faults::add(const Rule& rule) {
  return number(control(http::Method::post, "/rules", to_json(rule)), "id");
}

void Faults::clear() {
  control(http::Method::delete_, "/rules");
}

FaultProxy::RuleState Faults::state(std::size_t rule) {
  const json::value state = control(http::Method::get, "/rules/" + std::to_string(rule));
  return {.matched = number(state, "matched"), .held = number(state, "held")};
}

void Faults::release(std::size_t rule, FaultProxy::Release how) {
  control(http::Method::post, "/rules/" + std::to_string(rule) + "/release",
          {{"how", how == FaultProxy::Release::lose ? "lose" : "pass"}});
}

std::size_t Faults::to_watches(const std::string& target, const char* act,
                               const std::string& event) {
  return number(
      control(http::Method::post, "/watches", {{"target", target}, {"do", act}, {"event", event}}),
      "watches");
}

std::vector<FaultProxy::Record> Faults::requests() {
  std::vector<FaultProxy::Record> records;
  const json::value all = control(http::Method::get, "/requests");
  for (const json::value& each : all.as_array()) {
    records.push_back({text(each, "method"), text(each, "target"), text(each, "body"),
                       static_cast<std::uint16_t>(number(each, "status"))});
  }
  return records;
}

std::size_t Faults::count(std::string_view method, const std::string& target) {
  const std::regex pattern(target);
  std::size_t found = 0;
  for (const auto& record : requests()) {
    if (record.method == method && std::regex_search(record.target, pattern)) ++found;
  }
  return found;
}

json::value Faults::control(http::Method method, const std::string& path, const json::value& body) {
  const auto response =
      control_->send({method, path, {}, body.is_null() ? "" : json::serialize(body)});
  if (!response || response->status != 200) {
    throw std::runtime_error("the fault proxy, " + path + ": " +
                             (response ? response->body : to_string(response.error())));
  }
  return json::parse(response->body);
}

}  // namespace dcm::support
