#include "node/checkpoint/go_json.hpp"

#include <fmt/format.h>

#include "runtime/one_line.hpp"

namespace dcm::node {
namespace {

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out += c;
  }
}

void append_character(std::string& out, std::string_view character) {
  if (character.size() == 1) return append_ascii(out, character[0]);
  if (character == "\u2028") {
    out += "\\u2028";
  } else if (character == "\u2029") {
    out += "\\u2029";
  } else {
    out += character;
  }
}

}  // namespace

void append_go_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const runtime::Character next = runtime::first_character(text);
    if (next.is_broken()) {
      out += "\\ufffd";
    } else {
      append_character(out, text.substr(0, next.bytes));
    }
    text.remove_prefix(next.bytes);
  }
  out += '"';
}

}  // namespace dcm::node
