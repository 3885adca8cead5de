#include <algorithm>
#include <array>
#include <cstdio>

#include <arpa/inet.h>

#include "cel/ascii.hpp"
#include "cel/kubernetes/libraries.hpp"
#include "cel/numbers.hpp"
#include "cel/text.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;
using Bytes = std::array<unsigned char, 16>;

struct Address {
  Bytes bytes{};
  unsigned size = 0;  // 4 or 16

  friend bool operator==(const Address&, const Address&) = default;
};

struct Net {
  Address address;
  unsigned bits = 0;

  friend bool operator==(const Net&, const Net&) = default;
};

template <typename T>
struct Holder : Object {
  T value;
};

template <typename T>
const T& held(const Object& object) {
  return static_cast<const Holder<T>&>(object).value;
}
template <typename T>
const T& held(const Value& value) {
  return held<T>(value.as_object());
}

template <typename T>
Value equal(const Object& a, const Value& b) {
  if (!b.is(Kind::object) || b.as_object().of != a.of) return Value::error(kNoSuchOverload);
  return Value::boolean(held<T>(a) == held<T>(b));
}

std::uint64_t size_for_costs(const Object& object) {
  return held<Address>(object).size;
}
std::uint64_t net_size(const Object& object) {
  return (held<Net>(object).bits + 7) / 8;
}

constexpr ObjectClass kAddressClass{kAddressType, equal<Address>, size_for_costs, true, "cel.IP"};
constexpr ObjectClass kNetClass{kNetType, equal<Net>, net_size, true, "cel.CIDR"};

Value make(const Address& address, Arena& arena) {
  return Value::object(arena.make<Holder<Address>>(Object{&kAddressClass}, address));
}
Value make(const Net& net, Arena& arena) {
  return Value::object(arena.make<Holder<Net>>(Object{&kNetClass}, net));
}

bool is_mapped(const Address& address) {
  return address.size == 16 &&
         std::ranges::all_of(address.bytes.begin(), address.bytes.begin() + 10,
                             [](auto b) { return b == 0; }) &&
         address.bytes[10] == 0xff && address.bytes[11] == 0xff;
}

// Its size is 0 if the text is not an address.
Address parse_address(std::string_view text) {
  const std::string copy(text);
  Address address;
  if (text.contains('\0')) return address;
  if (inet_pton(AF_INET, copy.c_str(), address.bytes.data()) == 1)
    address.size = 4;
  else if (inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) == 1)
    address.size = 16;
  return address;
}

// Whether the text is an IPv6 address followed by a zone.
bool has_zone(std::string_view text) {
  const auto percent = text.find('%');
  return percent != text.npos && percent + 1 < text.size() &&
         parse_address(text.substr(0, percent)).size == 16;
}

struct Fault {
  std::string_view why;  // empty: none
  std::string_view at = {};
};

// As Go's netip reads the fields of an IPv4 address.
Fault fault_of_fields(std::string_view text) {
  unsigned value = 0, dots = 0;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      if (digits == 1 && value == 0) return {"IPv4 field has octet with leading zero"};
      value = value * 10 + static_cast<unsigned>(text[i] - '0');
      ++digits;
      if (value > 255) return {"IPv4 field has value >255"};
    } else if (text[i] == '.') {
      if (i == 0 || i + 1 == text.size() || text[i - 1] == '.')
        return {"IPv4 field must have at least one digit", text.substr(i)};
      if (++dots > 3) return {"IPv4 address too long"};
      value = 0;
      digits = 0;
    } else {
      return {"unexpected character", text.substr(i)};
    }
  }
  return {dots < 3 ? "IPv4 address too short" : ""};
}

// The same for IPv6, of a text that is no address.
Fault fault_of_groups(std::string_view text) {
  if (text.find('%') + 1 == text.size()) return {"zone must be a non-empty string"};
  text = text.substr(0, text.find('%'));
  constexpr std::size_t kGroups = 8;
  std::size_t groups = 0;
  bool has_gap = text.starts_with("::");
  if (has_gap) text.remove_prefix(2);
  while (groups < kGroups) {
    const auto digits = std::min(text.find_first_not_of("0123456789abcdefABCDEF"), text.size());
    if (digits > 4) return {"each group must have 4 or less digits", text};
    if (digits == 0) return {"each colon-separated field must have at least one digit", text};
    if (digits < text.size() && text[digits] == '.') {
      if (!has_gap && groups != kGroups - 2)
        return {"embedded IPv4 address must replace the final 2 fields of the address", text};
      if (groups > kGroups - 2)
        return {"too many hex fields to fit an embedded IPv4 at the end of the address", text};
      if (const Fault fault = fault_of_fields(text); !fault.why.empty()) return fault;
      groups += 2;
      text = {};
      break;
    }
    ++groups;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (text[0] != ':') return {"unexpected character, want colon", text};
    if (text.size() == 1) return {"colon must be followed by more characters", text};
    text.remove_prefix(1);
    if (text[0] != ':') continue;
    if (has_gap) return {"multiple :: in address", text};
    has_gap = true;
    text.remove_prefix(1);
    if (text.empty()) break;
  }
  if (!text.empty()) return {"trailing garbage after address", text};
  return {has_gap ? "the :: must expand to at least one field of zeros"
                  : "address string too short"};
}

// Why the text is not an address, in the words of Go's netip.
std::string fault_of_address(std::string_view text) {
  const auto mark = text.find_first_of(".:%");
  const Fault fault = mark == text.npos   ? Fault{"unable to parse IP"}
                      : text[mark] == '.' ? fault_of_fields(text)
                      : text[mark] == ':' ? fault_of_groups(text)
                                          : Fault{"missing IPv6 address"};
  return "ParseAddr(" + quoted(text) + "): " + std::string(fault.why) +
         (fault.at.empty() ? "" : " (at " + quoted(fault.at) + ")");
}

std::expected<Address, std::string> read_address(std::string_view text) {
  const Address address = parse_address(text);
  if (address.size == 0) {
    return std::unexpected(
        has_zone(text)
            ? "IP address " + quoted(text) + " with zone value is not allowed"
            : "IP Address " + quoted(text) +
                  " parse error during conversion from string: " + fault_of_address(text));
  }
  if (is_mapped(address))
    return std::unexpected("IPv4-mapped IPv6 address " + quoted(text) + " is not allowed");
  return address;
}

std::expected<Net, std::string> read_net(std::string_view text) {
  constexpr std::string_view kBefore =
      "network address parse error during conversion from string: ";
  const auto fail = [&](std::string_view why) {
    return std::unexpected(std::string(kBefore) + std::string(kBefore) + "netip.ParsePrefix(" +
                           quoted(text) + "): " + std::string(why));
  };
  const auto slash = text.rfind('/');
  if (slash == text.npos) return fail("no '/'");
  const auto before = text.substr(0, slash);
  const Address address = parse_address(before);
  if (address.size == 0)
    return fail(has_zone(before) ? "IPv6 zones cannot be present in a prefix"
                                 : fault_of_address(before));
  const auto digits = text.substr(slash + 1);
  const auto bits = parse_integer(digits);
  if (!bits || digits.empty() || digits[0] == '+' || digits[0] == '-' ||
      (digits.size() > 1 && digits[0] == '0'))
    return fail("bad bits after slash: " + quoted(digits));
  if (*bits > static_cast<std::int64_t>(address.size) * 8)
    return fail("prefix length out of range");
  if (is_mapped(address))
    return std::unexpected(std::string(kBefore) + "IPv4-mapped IPv6 address " + quoted(text) +
                           " is not allowed");
  return Net{address, static_cast<unsigned>(*bits)};
}

std::string text_of(const Address& address) {
  char text[64];
  if (address.size == 4) {
    std::snprintf(text, sizeof text, "%u.%u.%u.%u", address.bytes[0], address.bytes[1],
                  address.bytes[2], address.bytes[3]);
    return text;
  }
  unsigned groups[8];
  for (std::size_t i = 0; i < 8; ++i)
    groups[i] = address.bytes[2 * i] * 256U + address.bytes[2 * i + 1];
  // The longest run of two or more zeros is left out.
  std::size_t start = 8, length = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > length) {
      start = i;
      length = end - i;
    }
    if (end > i) i = end - 1;
  }
  std::string result;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == start) {
      result += "::";
      i += length - 1;
      continue;
    }
    if (!result.empty() && !result.ends_with(':')) result += ':';
    std::snprintf(text, sizeof text, "%x", groups[i]);
    result += text;
  }
  return result;
}

bool shares_bits(const Address& a, const Address& b, unsigned bits) {
  if (a.size != b.size) return false;
  for (unsigned i = 0; i < bits; ++i)
    if (((a.bytes[i / 8] ^ b.bytes[i / 8]) >> (7 - i % 8) & 1) != 0) return false;
  return true;
}

bool is_zero(const Address& a) {
  return std::ranges::all_of(a.bytes, [](auto b) { return b == 0; });
}
bool loopback(const Address& a) {
  if (a.size == 4) return a.bytes[0] == 127;
  return a.bytes[15] == 1 &&
         std::ranges::all_of(a.bytes.begin(), a.bytes.end() - 1, [](auto b) { return b == 0; });
}
bool link_local_multicast(const Address& a) {
  return a.size == 4 ? a.bytes[0] == 224 && a.bytes[1] == 0 && a.bytes[2] == 0
                     : a.bytes[0] == 0xff && (a.bytes[1] & 0x0f) == 2;
}
bool link_local_unicast(const Address& a) {
  return a.size == 4 ? a.bytes[0] == 169 && a.bytes[1] == 254
                     : a.bytes[0] == 0xfe && (a.bytes[1] & 0xc0) == 0x80;
}
bool multicast(const Address& a) {
  return a.size == 4 ? (a.bytes[0] & 0xf0) == 0xe0 : a.bytes[0] == 0xff;
}
bool global_unicast(const Address& a) {
  const bool is_broadcast = a.size == 4 && std::ranges::all_of(a.bytes.begin(), a.bytes.begin() + 4,
                                                               [](auto b) { return b == 255; });
  return !is_broadcast && !is_zero(a) && !loopback(a) && !multicast(a) && !link_local_unicast(a);
}

template <bool (*kTest)(const Address&)>
Value test(Args args, Frame&) {
  return Value::boolean(kTest(held<Address>(args[0])));
}

Value to_address(Args args, Frame& frame) {
  const auto address = read_address(args[0].as_text());
  return address ? make(*address, frame.arena) : make_error(frame.arena, address.error());
}
Value family(Args args, Frame&) {
  return Value::integer(held<Address>(args[0]).size == 4 ? 4 : 6);
}
Value is_canonical(Args args, Frame& frame) {
  const auto address = read_address(args[0].as_text());
  return address ? Value::boolean(text_of(*address) == args[0].as_text())
                 : make_error(frame.arena, address.error());
}
Value is_address(Args args, Frame&) {
  return Value::boolean(read_address(args[0].as_text()).has_value());
}
Value address_text(Args args, Frame& frame) {
  return Value::string(frame.arena.copy(text_of(held<Address>(args[0]))));
}

Value to_net(Args args, Frame& frame) {
  const auto net = read_net(args[0].as_text());
  return net ? make(*net, frame.arena) : make_error(frame.arena, net.error());
}
Value is_net(Args args, Frame&) {
  return Value::boolean(read_net(args[0].as_text()).has_value());
}
Value net_text(Args args, Frame& frame) {
  const Net& net = held<Net>(args[0]);
  return Value::string(frame.arena.copy(text_of(net.address) + "/" + std::to_string(net.bits)));
}
Value net_address(Args args, Frame& frame) {
  return make(held<Net>(args[0]).address, frame.arena);
}
Value prefix_length(Args args, Frame&) {
  return Value::integer(held<Net>(args[0]).bits);
}
Value masked(Args args, Frame& frame) {
  Net net = held<Net>(args[0]);
  for (unsigned i = net.bits; i < net.address.size * 8; ++i)
    net.address.bytes[i / 8] =
        static_cast<unsigned char>(net.address.bytes[i / 8] & ~(0x80U >> i % 8));
  return make(net, frame.arena);
}

Value contains_address(Args args, Frame&) {
  const Net& net = held<Net>(args[0]);
  return Value::boolean(shares_bits(net.address, held<Address>(args[1]), net.bits));
}
Value contains_address_text(Args args, Frame& frame) {
  const Value parsed[] = {args[0], to_address(args.subspan(1), frame)};
  return parsed[1].is_error() ? Value::error(kNoSuchOverload) : contains_address(parsed, frame);
}
Value contains_net(Args args, Frame&) {
  const Net& outer = held<Net>(args[0]);
  const Net& inner = held<Net>(args[1]);
  return Value::boolean(outer.bits <= inner.bits &&
                        shares_bits(outer.address, inner.address, outer.bits));
}
Value contains_net_text(Args args, Frame& frame) {
  const Value parsed[] = {args[0], to_net(args.subspan(1), frame)};
  return parsed[1].is_error() ? parsed[1] : contains_net(parsed, frame);
}

constexpr FunctionRow kRows[] = {
    {"ip(string) net.IP", to_address, CostRule::scan},
    {"ip(net.CIDR;) net.IP", net_address},
    {"family(net.IP;) int", family},
    {"ip.isCanonical(string) bool", is_canonical, CostRule::scan_twice},
    {"isUnspecified(net.IP;) bool", test<is_zero>},
    {"isLoopback(net.IP;) bool", test<loopback>},
    {"isLinkLocalMulticast(net.IP;) bool", test<link_local_multicast>},
    {"isLinkLocalUnicast(net.IP;) bool", test<link_local_unicast>},
    {"isGlobalUnicast(net.IP;) bool", test<global_unicast>},
    {"isIP(string) bool", is_address, CostRule::scan},
    {"string(net.IP) string", address_text},
    {"cidr(string) net.CIDR", to_net, CostRule::scan},
    {"containsIP(net.CIDR; string) bool", contains_address_text, CostRule::address_text_in_net},
    {"containsIP(net.CIDR; net.IP) bool", contains_address, CostRule::address_in_net},
    {"containsCIDR(net.CIDR; string) bool", contains_net_text, CostRule::net_text_in_net},
    {"containsCIDR(net.CIDR; net.CIDR) bool", contains_net, CostRule::net_in_net},
    {"prefixLength(net.CIDR;) int", prefix_length},
    {"masked(net.CIDR;) net.CIDR", masked},
    {"isCIDR(string) bool", is_net, CostRule::scan},
    {"string(net.CIDR) string", net_text},
};

}  // namespace

std::span<const FunctionRow> address_functions() {
  return kRows;
}

unsigned address_size(std::string_view text) {
  return parse_address(text).size;
}

std::string address_fault(std::string_view text) {
  return fault_of_address(text);
}

}  // namespace dcm::cel
