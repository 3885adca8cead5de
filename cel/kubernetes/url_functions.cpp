#include <algorithm>
#include <map>

#include "cel/ascii.hpp"
#include "cel/kubernetes/libraries.hpp"
#include "cel/text.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

struct Url {
  std::string_view text, scheme, host, path,
      query;  // views of the argument; the scheme as written there
};

struct UrlObject : Object {
  Url url;
};

Value equal(const Object& a, const Value& b);
constexpr ObjectClass kClass{kUrlType, equal, nullptr, true, "cel.URL"};

const Url& url_of(const Value& value) {
  return static_cast<const UrlObject&>(value.as_object()).url;
}

Value equal(const Object& a, const Value& b) {
  if (!b.is(Kind::object) || b.as_object().of != &kClass) return Value::error(kNoSuchOverload);
  return Value::boolean(static_cast<const UrlObject&>(a).url.text == url_of(b).text);
}

// Before `host_end`, only bytes beyond ASCII and the percent sign are escaped.
std::optional<std::string> fault_of_escapes(std::string_view text, std::size_t host_end = 0) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    const auto escape = text.substr(i, 3);
    if (escape.size() < 3 || !is_hex(escape[1]) || !is_hex(escape[2]) ||
        (i < host_end && escape[1] < '8' && escape != "%25"))
      return "invalid URL escape " + quoted(escape);
  }
  return std::nullopt;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return is_letter(c) ? static_cast<char>(c | 0x20) : c; });
  return result;
}

std::string unescape(std::string_view text, bool plus_is_blank) {
  std::string result;
  const auto digit = [](char c) { return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      result += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      result += text[i] == '+' && plus_is_blank ? ' ' : text[i];
    }
  }
  return result;
}

bool is_host_character(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || is_letter(c) || is_digit(c) ||
         std::string_view("!$&'()*+,;=:[]<>\"-_.~%").contains(c);
}

bool is_user_character(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("-._:~!$&'()*+,;=%@").contains(c);
}

bool is_port(std::string_view text) {
  return text.empty() || (text[0] == ':' && std::ranges::all_of(text.substr(1), is_digit));
}

std::optional<std::string> fault_of_host(std::string_view scheme, std::string_view host) {
  const auto open = host.rfind('[');
  if (open != host.npos && open > 0) return "invalid IP-literal";
  if (open == 0) {
    const auto close = host.rfind(']');
    if (close == host.npos) return "missing ']' in host";
    if (!is_port(host.substr(close + 1)))
      return "invalid port " + quoted(host.substr(close + 1)) + " after host";
  } else if (host.contains(':')) {
    // Only other schemes may have a list of hosts with ports.
    const bool is_strict = lower(scheme) == "http" || lower(scheme) == "https";
    const auto port = host.substr(is_strict ? host.find(':') : host.rfind(':'));
    if (!is_port(port)) return "invalid port " + quoted(port) + " after host";
  }
  const auto zone = open == 0 ? std::min(host.find("%25"), host.size()) : host.size();
  if (auto fault = fault_of_escapes(host, zone)) return fault;
  if (const auto bad = std::ranges::find_if_not(host, is_host_character); bad != host.end())
    return "invalid character " + quoted({bad, bad + 1}) + " in host name";
  if (open != 0) return std::nullopt;
  const auto name = host.substr(1, host.rfind(']') - 1);
  const auto address = unescape(name, false);
  if (address_size(address.substr(0, address.find('%'))) == 16 && !address.ends_with('%'))
    return std::nullopt;
  if (address_size(address) == 4) return "invalid IP-literal";
  return "invalid host: " + address_fault(address);
}

// A URI as used in a request: absolute, or an absolute path.
std::expected<Url, std::string> parse(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return std::unexpected("parse " + quoted(text) + ": " + std::string(why));
  };
  if (std::ranges::any_of(text,
                          [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return fail("net/url: invalid control character in URL");
  if (text.empty()) return fail("empty url");
  Url url{text, {}, {}, {}, {}};
  if (text == "*") {
    url.path = text;
    return url;
  }
  std::string_view rest = text;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (is_letter(rest[i])) continue;
    if (i > 0 && (is_digit(rest[i]) || rest[i] == '+' || rest[i] == '-' || rest[i] == '.'))
      continue;
    if (rest[i] == ':') {
      if (i == 0) return fail("missing protocol scheme");
      url.scheme = rest.substr(0, i);
      rest.remove_prefix(i + 1);
    }
    break;
  }
  if (const auto mark = rest.find('?'); mark != rest.npos) {
    url.query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  if (!rest.starts_with('/')) {
    if (url.scheme.empty()) return fail("invalid URI for request");
    return url;
  }
  if (!url.scheme.empty() && rest.starts_with("//")) {
    rest.remove_prefix(2);
    std::string_view authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(authority.size());
    const auto at = authority.rfind('@');
    const auto user = authority.substr(0, at == authority.npos ? 0 : at);
    if (at != authority.npos) authority.remove_prefix(at + 1);
    if (const auto fault = fault_of_host(url.scheme, authority)) return fail(*fault);
    if (!std::ranges::all_of(user, is_user_character)) return fail("net/url: invalid userinfo");
    if (const auto fault = fault_of_escapes(user)) return fail(*fault);
    url.host = authority;
  }
  if (const auto fault = fault_of_escapes(rest)) return fail(*fault);
  url.path = rest;
  return url;
}

Value to_url(Args args, Frame& frame) {
  auto url = parse(args[0].as_text());
  if (!url)
    return make_error(frame.arena, "URL parse error during conversion from string: ", url.error());
  // Text after '#' was part of the last component so far.
  auto& last = url->query.empty() ? url->path : url->query;
  last = last.substr(0, last.find('#'));
  return Value::object(frame.arena.make<UrlObject>(Object{&kClass}, *url));
}

Value is_url(Args args, Frame&) {
  return Value::boolean(parse(args[0].as_text()).has_value());
}

Value scheme(Args args, Frame& frame) {
  return Value::string(frame.arena.copy(lower(url_of(args[0]).scheme)));
}
Value host(Args args, Frame& frame) {
  return Value::string(frame.arena.copy(unescape(url_of(args[0]).host, false)));
}

std::size_t port_start(std::string_view host) {
  const auto colon = host.rfind(':');
  return colon == host.npos || host.substr(colon).contains(']') ? host.size() : colon;
}

Value hostname(Args args, Frame& frame) {
  std::string_view name = url_of(args[0]).host;
  name = name.substr(0, port_start(name));
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return Value::string(frame.arena.copy(unescape(name, false)));
}
Value port(Args args, Frame&) {
  const auto name = url_of(args[0]).host;
  const auto start = port_start(name);
  return Value::string(start == name.size() ? std::string_view() : name.substr(start + 1));
}

Value escaped_path(Args args, Frame& frame) {
  const auto path = url_of(args[0]).path;
  const auto is_plain = [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("!$&'()*+,;=:@[]%-_.~/").contains(c);
  };
  if (std::ranges::all_of(path, is_plain)) return Value::string(path);
  std::string text;
  for (const char c : unescape(path, false)) {
    if (is_letter(c) || is_digit(c) || std::string_view("$&+,/:;=@-_.~").contains(c)) {
      text += c;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      text += {'%', kDigits[static_cast<unsigned char>(c) >> 4],
               kDigits[static_cast<unsigned char>(c) & 15]};
    }
  }
  return Value::string(frame.arena.copy(text));
}

Value query(Args args, Frame& frame) {
  std::map<std::string, std::vector<Value>> values;
  std::string_view rest = url_of(args[0]).query;
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    if (pair.empty() || pair.contains(';') || fault_of_escapes(pair)) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    const auto value = pair.substr(std::min(equals + 1, pair.size()));
    values[unescape(pair.substr(0, equals), true)].push_back(
        Value::string(frame.arena.copy(unescape(value, true))));
  }
  std::vector<Map::Entry> entries;
  for (const auto& [key, list] : values)
    entries.push_back({Value::string(frame.arena.copy(key)), make_list(list, frame.arena)});
  return make_map(entries, frame.arena);
}

constexpr FunctionRow kRows[] = {
    {"url(string) kubernetes.URL", to_url, CostRule::scan_keep},
    {"getScheme(kubernetes.URL;) string", scheme},
    {"getHost(kubernetes.URL;) string", host},
    {"getHostname(kubernetes.URL;) string", hostname},
    {"getPort(kubernetes.URL;) string", port},
    {"getEscapedPath(kubernetes.URL;) string", escaped_path},
    {"getQuery(kubernetes.URL;) map(string, list(string))", query},
    {"isURL(string) bool", is_url},
};

}  // namespace

std::span<const FunctionRow> url_functions() {
  return kRows;
}

bool is_request_uri(std::string_view text) {
  return parse(text).has_value();
}

}  // namespace dcm::cel
