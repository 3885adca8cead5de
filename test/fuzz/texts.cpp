// Values written as text: times, durations, URLs, selectors. A value that was read can be
// written, and reads the same again.
#include "apiserver/kinds/kinds.hpp"
#include "apiserver/model/resource_table.hpp"
#include "apiserver/reads/selectors.hpp"
#include "client/api/meta.hpp"
#include "explain/subject.hpp"
#include "options/value.hpp"
#include "runtime/http/url.hpp"
#include "runtime/timestamp.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

void read_time(std::string_view text) {
  const auto time = runtime::parse_timestamp(text);
  if (!time) return;
  const auto again = runtime::parse_timestamp(runtime::timestamp(*time));
  expect(again.has_value(), "a time that is written is one", runtime::timestamp(*time));
  expect_equal(runtime::timestamp(*time), runtime::timestamp(*again),
               "a time reads the same again");
}

void read_duration(std::string_view text) {
  const auto duration = options::parse_duration(text);
  if (!duration) return;
  const std::string written = options::format_duration(*duration);
  expect(options::parse_duration(written) == duration, "a duration reads the same again", written);
}

void read_url(std::string_view text) {
  const auto url = http::parse_url(text);
  if (!url) {
    expect_readable(url.error().message);
    return;
  }
  if (text.contains('%')) return;  // a host is kept decoded
  const std::string written = url->endpoint.url() + url->path_prefix;
  const auto again = http::parse_url(written);
  expect(again && again->endpoint == url->endpoint && again->path_prefix == url->path_prefix,
         "a URL reads the same again", written);
}

void read_proxy_url(std::string_view text) {
  const auto url = http::parse_proxy_url(text);
  if (!url) expect_readable(url.error().message);
}

void read_identity(std::string_view text) {
  const api::Uid uid(text);
  expect_equal(uid.str(), text, "a UID is kept as it is");
  const api::ResourceVersion version(text);
  expect((version <=> version) == std::strong_ordering::equal, "a version equals itself");
  expect((version <=> api::ResourceVersion("1")) == (0 <=> (api::ResourceVersion("1") <=> version)),
         "the order of versions is one", text);
}

void read_subject(std::string_view text) {
  const auto subject = explain::subject_from_path(text);
  if (!subject) {
    expect_readable(subject.error().message);
    return;
  }
  const std::string path = explain::path_of(*subject);
  expect(path.starts_with(explain::kExplainPath), "a subject's path", path);
  expect(explain::subject_from_path(path.substr(explain::kExplainPath.size())) == *subject,
         "a subject reads the same again", path);
}

void read_selector(std::string_view text) {
  static const apiserver::ResourceTable types(apiserver::built_in_kinds(), {});
  static const apiserver::JsonObject pod = {
      {"metadata", {{"name", "trainer-0"}, {"labels", {{"app", "trainer"}, {"tier", "1"}}}}}};
  const auto as_labels = apiserver::Selector::parse(types.get("pods"), text, "");
  if (as_labels) as_labels->matches(pod);
  const auto as_fields = apiserver::Selector::parse(types.get("pods"), "", text);
  if (as_fields) as_fields->matches(pod);
}

}  // namespace

void run(std::string_view input) {
  read_time(input);
  read_duration(input);
  read_url(input);
  read_proxy_url(input);
  read_identity(input);
  read_subject(input);
  read_selector(input);
}

}  // namespace dcm::fuzz
