#include "cmd/dra-controller-manager/explain/page.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "cmd/dra-controller-manager/serving/html.hpp"

namespace dcm::manager {
namespace {

// The query wins over what is accepted; a caller that accepts anything gets text.
Format wanted_format(const http::Request& request) {
  const std::string_view query = split_target(request.target).query;
  if (query == "output=json") return Format::json;
  if (query == "output=text") return Format::text;
  if (wants_html(request)) return Format::html;
  const auto accept = request.headers.find("Accept");
  const bool wants_json = accept && accept->find("application/json") != std::string_view::npos &&
                          accept->find("text/plain") == std::string_view::npos;
  return wants_json ? Format::json : Format::text;
}

http::Response respond(std::uint16_t status, Format format, std::string body) {
  if (format == Format::html) return html_response(status, std::move(body));
  return {status,
          {{"Content-Type", std::string(content_type_of(format))},
           {"X-Content-Type-Options", "nosniff"}},
          std::move(body)};
}

http::Response refuse(std::uint16_t status, Format format, std::string_view why) {
  return respond(status, format, render_problem(why, format));
}

std::string not_known(const Subject& subject) {
  return fmt::format("{} {} is not known here: there is none{}", kind_of(subject.kind),
                     subject.key.str(),
                     subject.kind == Subject::Kind::pod
                         ? ", or it uses no claims and has nothing to do with this controller"
                         : "");
}

http::Response answer(runtime::TimeSource& time, const ExplainContext& context,
                      const http::Request& request) {
  const Format format = wanted_format(request);
  const std::string_view path = split_target(request.target).path;
  const auto subject = subject_from_path(path.substr(kExplainPath.size()));
  if (!subject) return refuse(404, format, subject.error().message);
  Teller teller = context.teller();
  const ExplanationSource* source = context.source();
  if (source == nullptr) return refuse(503, format, "nothing is known yet: " + teller.missing);
  auto explanation = source->explain(*subject);
  if (!explanation && !teller.missing.empty()) {
    return refuse(503, format,
                  fmt::format("{}; but not everything is known yet: {}", not_known(*subject),
                              teller.missing));
  }
  if (!explanation) return refuse(404, format, not_known(*subject));
  return respond(200, format,
                 render({*std::move(explanation), std::move(teller), time.wall_now()}, format));
}

}  // namespace

Page make_explain_page(runtime::TimeSource& time, ExplainContext context) {
  return {.path = std::string(kExplainPath),
          .answer = [&time, context = std::move(context)](const http::Request& request) {
            return answer(time, context, request);
          }};
}

}  // namespace dcm::manager
