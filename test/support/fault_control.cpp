#include "test/support/fault_control.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/json.hpp>

namespace dcm::support {
namespace {

namespace json = boost::json;
using http::Method;

constexpr std::array<std::pair<FaultKind, std::string_view>, 7> kKinds{{
    {FaultKind::reset, "reset"},
    {FaultKind::drop_answer, "drop_answer"},
    {FaultKind::disown, "disown"},
    {FaultKind::cut_answer, "cut_answer"},
    {FaultKind::answer, "answer"},
    {FaultKind::hold, "hold"},
    {FaultKind::hold_answer, "hold_answer"},
}};

FaultKind kind_from(std::string_view name) {
  for (const auto& [kind, text] : kKinds) {
    if (text == name) return kind;
  }
  throw std::invalid_argument("no such fault: " + std::string(name));
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value == nullptr ? std::string() : std::string(value->as_string());
}

std::size_t number_of(const json::object& object, std::string_view name, std::size_t otherwise) {
  const json::value* value = object.if_contains(name);
  return value == nullptr ? otherwise : value->to_number<std::size_t>();
}

Rule rule_from(const json::object& object) {
  Rule rule{.method = text_of(object, "method"),
            .target = text_of(object, "target"),
            .skip = number_of(object, "skip", 0),
            .times = number_of(object, "times", 1)};
  rule.fault.kind = kind_from(text_of(object, "fault"));
  rule.fault.bytes = number_of(object, "bytes", 0);
  rule.fault.answer.status = static_cast<std::uint16_t>(number_of(object, "status", 0));
  rule.fault.answer.body = text_of(object, "body");
  if (const json::value* headers = object.if_contains("headers")) {
    for (const auto& [name, value] : headers->as_object()) {
      rule.fault.answer.headers.add(name, std::string(value.as_string()));
    }
  }
  if (rule.fault.kind == FaultKind::answer && rule.fault.answer.status < 200) {
    throw std::invalid_argument("an answer needs a status");
  }
  return rule;
}

void act_on(WatchRelay& watch, const std::string& act, const std::string& event) {
  if (act == "cut") return watch.cut();
  if (act == "stall") return watch.stall();
  if (act == "resume") return watch.resume();
  if (act == "inject") return watch.inject(event);
  throw std::invalid_argument("no such thing to do to a watch: " + act);
}

// Bodies may be protobuf, which JSON cannot hold: bytes that are not plain text become dots.
std::string as_text(std::string body) {
  std::ranges::replace_if(body, [](char c) { return c < ' ' || c > '~'; }, '.');
  return body;
}

json::value to_json(const FaultProxy::Record& record) {
  return {{"method", record.method},
          {"target", record.target},
          {"body", as_text(record.body)},
          {"status", record.status}};
}

json::array to_json(const std::vector<FaultProxy::Record>& records) {
  json::array result;
  for (const auto& record : records) result.push_back(to_json(record));
  return result;
}

// The number in "/rules/12" or "/rules/12/release"; 0 in other paths.
std::size_t rule_in(const std::string& path) {
  return path.starts_with("/rules/") ? std::stoul(path.substr(7)) : 0;
}

json::value control(FaultProxy& proxy, const http::Request& request) {
  const std::string& path = request.target;
  const json::value parsed = request.body.empty() ? json::object() : json::parse(request.body);
  const json::object& body = parsed.as_object();
  if (request.method == Method::post && path == "/rules") {
    return {{"id", proxy.add_rule(rule_from(body))}};
  }
  if (request.method == Method::delete_ && path == "/rules") {
    proxy.clear_rules();
    return json::object();
  }
  if (request.method == Method::post && path.ends_with("/release")) {
    const bool is_lost = text_of(body, "how") == "lose";
    proxy.release(rule_in(path), is_lost ? FaultProxy::Release::lose : FaultProxy::Release::pass);
    return json::object();
  }
  if (request.method == Method::get && rule_in(path) != 0) {
    const auto state = proxy.state(rule_in(path));
    return {{"matched", state.matched}, {"held", state.held}};
  }
  if (request.method == Method::post && path == "/watches") {
    const std::string act = text_of(body, "do");
    const std::string event = text_of(body, "event");
    const std::size_t watches = proxy.each_watch(
        text_of(body, "target"), [&](WatchRelay& watch) { act_on(watch, act, event); });
    return {{"watches", watches}};
  }
  if (request.method == Method::get && path == "/requests") return to_json(proxy.records());
  throw std::invalid_argument("no such control: " + path);
}

http::Response answer(FaultProxy& proxy, const http::Request& request) {
  http::Response response{.status = 200, .headers = {}, .body = {}};
  try {
    response.body = json::serialize(control(proxy, request));
  } catch (const std::exception& error) {
    response.status = 400;
    response.body = error.what();
  }
  return response;
}

}  // namespace

http::Handler make_fault_control(FaultProxy& proxy) {
  return [&proxy](http::Request request, http::Responder& responder) -> runtime::Task<> {
    co_await responder.send(answer(proxy, request));
  };
}

std::string_view to_string(FaultKind kind) {
  for (const auto& [each, text] : kKinds) {
    if (each == kind) return text;
  }
  return {};
}

}  // namespace dcm::support
