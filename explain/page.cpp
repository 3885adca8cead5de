#include "explain/page.hpp"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "explain/devices/read_devices.hpp"
#include "explain/read_evidence.hpp"
#include "manager/serving/html.hpp"
#include "runtime/slots.hpp"

namespace dcm::explain {
namespace {

using manager::html_response;
using manager::split_target;
using manager::wants_html;

using common::Sight;
using common::Worker;
using runtime::Task;

// How long a caller waits for other components' messages.
constexpr runtime::Duration kEvidenceTimeout = std::chrono::seconds(5);
// A question about devices reads claims and slices of the whole cluster, so few may run at once.
constexpr std::size_t kDeviceReadings = 1;

// The query overrides Accept; a caller that accepts anything gets text.
Format wanted_format(const http::Request& request) {
  const std::string_view query = split_target(request.target).query;
  if (query == "output=json") return Format::json;
  if (query == "output=text") return Format::text;
  if (wants_html(request)) return Format::html;
  const auto accept = request.headers.find("Accept");
  const bool wants_json =
      accept && accept->contains("application/json") && !accept->contains("text/plain");
  return wants_json ? Format::json : Format::text;
}

http::Response respond(std::uint16_t status, Format format, std::string body) {
  if (format == Format::html) return html_response(status, std::move(body));
  return http::typed_response(status, content_type_of(format), std::move(body));
}

http::Response refuse(std::uint16_t status, Format format, std::string_view why) {
  return respond(status, format, render_problem(why, format));
}

std::string not_known(const Subject& subject) {
  return fmt::format("{} {} is not known here: there is none{}", resource_of(subject.kind).kind,
                     subject.key.str(),
                     subject.kind == Subject::Kind::pod
                         ? ", or it uses no claims and has nothing to do with this controller"
                         : "");
}

// Replaces reasons that may name objects of other namespaces.
constexpr std::string_view kNotForAll = "the manager's log says why";

Worker worker_of(const Teller& teller) {
  switch (teller.role) {
    case Teller::Role::works:
      return {};
    case Teller::Role::stands_by:
      if (!teller.leader.empty()) return {};
      return {Worker::State::nobody,
              "Nobody holds the manager's lease, so nothing happens until an instance takes it."};
    case Teller::Role::watches:
    case Teller::Role::reads:
      break;
  }
  return {Worker::State::perhaps,
          "This manager runs with --dry-run and carries nothing out. It is not known here whether "
          "another program carries out the next step."};
}

http::Response not_found(const Subject& subject, Format format, const Teller& teller,
                         const Sight& sight) {
  std::string gap = teller.missing;
  if (sight.is_hidden(input_of(subject.kind))) gap = sight.gap(input_of(subject.kind));
  if (gap.empty()) return refuse(404, format, not_known(subject));
  return refuse(503, format,
                fmt::format("{} {} is not known here, which may be because not everything could "
                            "be read: {}",
                            resource_of(subject.kind).kind, subject.key.str(), gap));
}

using DeviceEvidence = decltype(Evidence::devices)::value_type;

Task<DeviceEvidence> read_devices_in_turn(runtime::Slots& turns, const ExplainContext& context,
                                          runtime::TimeSource& time, Subject subject,
                                          Audience audience, runtime::Deadline deadline) {
  const auto turn = co_await turns.acquire(deadline);
  if (!turn) {
    co_return std::unexpected(
        common::Unknown{"other questions about devices are being answered, ask again"});
  }
  const Names names = audience == Audience::everything ? Names::all : Names::own_namespace;
  co_return co_await read_devices(*context.rest, time, std::move(subject), names, deadline,
                                  context.devices);
}

Task<http::Response> answer(runtime::TimeSource& time, const ExplainContext& context,
                            runtime::Slots& turns, Audience audience, http::Request request) {
  const Format format = wanted_format(request);
  const std::string_view path = split_target(request.target).path;
  const auto subject = subject_from_path(path.substr(kExplainPath.size()));
  if (!subject) co_return refuse(404, format, subject.error().message);
  Teller teller = context.teller();
  const bool is_limited = audience == Audience::own_object;
  if (is_limited && !teller.missing.empty()) teller.missing = kNotForAll;
  const ExplanationSource* source = context.source();
  if (source == nullptr) co_return refuse(503, format, "nothing is known yet: " + teller.missing);
  Sight sight = source->sight();
  if (is_limited) sight.replace_reasons(kNotForAll);
  auto draft = source->explain(*subject);  // the source may be gone after the first wait
  if (!draft) co_return not_found(*subject, format, teller, sight);
  if (context.rest != nullptr) {
    const Refusals refusals =
        teller.role == Teller::Role::works ? Refusals::known : Refusals::asked;
    const auto deadline = runtime::Deadline::after(time, kEvidenceTimeout);
    Evidence evidence = co_await read_evidence(*context.rest, *subject, *draft, refusals, deadline);
    if (asks_devices(evidence, *draft)) {
      evidence.devices =
          co_await read_devices_in_turn(turns, context, time, *subject, audience, deadline);
    }
    add_evidence(evidence, time.wall_now(), *draft, sight);
  }
  const Told told{common::settle(*std::move(draft), sight, worker_of(teller)), std::move(teller),
                  time.wall_now()};
  http::Response response = respond(200, format, render(told, format));
  if (status_of(told.explanation) == ExplainStatus::explained_in_part) {
    response.headers.add(kInPartHeader, "true");
  }
  co_return response;
}

}  // namespace

Page make_explain_page(runtime::TimeSource& time, ExplainContext context) {
  return {.path = std::string(kExplainPath),
          .answer_later = [&time, context = std::move(context),
                           turns = std::make_shared<runtime::Slots>(time, kDeviceReadings)](
                              http::Request request, Audience audience) {
            return answer(time, context, *turns, audience, std::move(request));
          }};
}

}  // namespace dcm::explain
