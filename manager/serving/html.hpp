// Pages for browsers. Names and messages of objects are untrusted: every text goes through
// escape_html(), and no part of a page is executable.
#pragma once

#include <string>
#include <string_view>

#include "runtime/http/message.hpp"

namespace dcm::manager {

// `text` escaped for an HTML element or a quoted attribute.
std::string escape_html(std::string_view text);

// A whole document. `title` is text; `body` is HTML.
std::string html_document(std::string_view title, std::string_view body);

// Whether the caller is a browser: it accepts text/html by name, which programs do not.
bool wants_html(const http::Request& request);

http::Response html_response(std::uint16_t status, std::string document);

}  // namespace dcm::manager
