#include "cmd/dra-controller-manager/serving/debug_pages.hpp"

#include <charconv>
#include <ranges>
#include <string>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/options/config_file.hpp"
#include "manager/serving/html.hpp"
#include "runtime/version.hpp"

namespace dcm::dra_manager {
namespace {

std::string heading(std::string_view what) {
  return fmt::format(
      "\n{} {}\nWarning: This endpoint is not meant to be machine parseable, "
      "has no formatting compatibility guarantees and is for debugging purposes only.\n\n",
      kProgram, what);
}

std::string uptime(runtime::Duration up) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(up).count();
  return fmt::format("{} hr {:02} min {:02} sec", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string status_text(runtime::WallTime started, runtime::Duration up, const Pages& pages) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(started);
  return heading("statusz") +
         fmt::format("Started: {:%a %b %d %H:%M:%S} UTC {:%Y}\nUp: {}\nVersion: {}\nPaths: {}\n",
                     seconds, seconds, uptime(up), runtime::kVersion,
                     fmt::join(pages.all() | std::views::transform(&Page::path), " "));
}

std::string html_row(std::string_view name, std::string_view value) {
  return fmt::format("<tr><th>{}<td>{}\n", name, escape_html(value));
}

// A link, if a browser can open the page.
std::string html_link(const Page& page) {
  const std::string path = escape_html(page.path);
  const bool is_link = page.method == http::Method::get && !page.path.ends_with('/');
  return is_link ? fmt::format("<li><a href=\"{0}\">{0}</a>\n", path)
                 : fmt::format("<li>{} ({})\n", path, to_string(page.method));
}

std::string status_html(runtime::WallTime started, runtime::Duration up, const Pages& pages) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(started);
  std::string body = "<table>\n";
  body += html_row("Version", runtime::kVersion);
  body += html_row("Started", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", seconds));
  body += html_row("Up", uptime(up));
  body += "</table>\n<h2>Paths</h2>\n<ul>\n";
  for (const Page& page : pages.all()) body += html_link(page);
  return html_document(fmt::format("{} statusz", kProgram), body + "</ul>\n");
}

std::string flags_text(const std::vector<Flag>& flags) {
  std::string text = heading("flagz");
  for (const Flag& flag : flags) text += fmt::format("{}={}\n", flag.name, flag.value);
  return text;
}

// Like Kubernetes' components, by the name of its API group.
std::string configz(const Options& options) {
  return fmt::format("{{\"{}\":{}}}\n", kConfigGroup, options.configuration);
}

http::Response set_verbosity(runtime::LogBackend& log, std::string_view body) {
  while (body.ends_with('\n')) body.remove_suffix(1);
  int verbosity = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), verbosity);
  const bool is_number = error == std::errc() && end == body.data() + body.size();
  if (!is_number || verbosity < 0 || verbosity > kVerbosityMax) {
    return text_response(
        400, fmt::format("the body must be a whole number from 0 to {}\n", kVerbosityMax));
  }
  log.set_verbosity(verbosity);
  return text_response(200, fmt::format("successfully set the log's verbosity to {}\n", verbosity));
}

}  // namespace

void add_debug_pages(Pages& pages, const Options& options, runtime::TimeSource& time,
                     std::shared_ptr<runtime::LogBackend> log) {
  const auto status = [&pages, &time, started = time.wall_now(),
                       start = time.now()](const http::Request& request) {
    if (wants_html(request)) {
      return html_response(200, status_html(started, time.now() - start, pages));
    }
    return text_response(200, status_text(started, time.now() - start, pages));
  };
  const auto flags = [&options](const http::Request&) {
    return text_response(200, flags_text(options.flags));
  };
  const auto configuration = [&options](const http::Request&) {
    return json_response(200, configz(options));
  };
  const auto verbosity = [log = std::move(log)](const http::Request& request) {
    return set_verbosity(*log, request.body);
  };
  pages.add({.path = "/statusz", .answer = status});
  pages.add({.path = "/flagz", .answer = flags});
  pages.add({.path = "/configz", .answer = configuration});
  pages.add({.path = "/debug/flags/v", .method = http::Method::put, .answer = verbosity});
}

}  // namespace dcm::dra_manager
