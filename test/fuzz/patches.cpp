// Patches for the in-memory API server: the first line gives object and format ("pods/a/status
// strategic"), the rest is the body. An object keeps its identity; a rejected patch or a dry run
// changes nothing.
#include <array>

#include "apiserver/front/direct.hpp"
#include "runtime/virtual_time.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

using apiserver::Answer;

struct Format {
  std::string_view name;
  std::string_view content_type;
};
constexpr std::array kFormats = {
    Format{"json", apiserver::kJsonPatch}, Format{"merge", apiserver::kMerge},
    Format{"strategic", apiserver::kStrategic}, Format{"apply", apiserver::kApply}};

struct Subject {
  std::string_view name;  // in the first line, with an optional "/status" suffix
  std::string_view collection;
  std::string_view body;
};
constexpr std::array kSubjects = {
    Subject{"pods", "/api/v1/namespaces/default/pods",
            R"({"metadata":{"name":"a","labels":{"app":"a"},"finalizers":["example.com/x"]},
                "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}],
                "tolerations":[{"key":"k"}],
                "resourceClaims":[{"name":"gpus","resourceClaimTemplateName":"t"}]},
                "status":{"conditions":[{"type":"Ready","status":"True"}]}})"},
    Subject{"resourceclaims", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
            R"({"metadata":{"name":"a","annotations":{"a":"b"}},"spec":{"devices":{"requests":[
                {"name":"one","exactly":{"deviceClassName":"gpu"}}]}}})"},
    Subject{"resourceclaimtemplates",
            "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
            R"({"metadata":{"name":"a"},"spec":{"spec":{"devices":{"requests":[
                {"name":"one","exactly":{"deviceClassName":"gpu"}}]}}}})"},
    Subject{"resourceslices", "/apis/resource.k8s.io/v1/resourceslices",
            R"({"metadata":{"name":"a"},"spec":{"driver":"d","nodeName":"n","pool":{"name":"p",
                "generation":1,"resourceSliceCount":1},"devices":[{"name":"gpu-0"}]}})"},
    Subject{"devicetaintrules", "/apis/resource.k8s.io/v1/devicetaintrules",
            R"({"metadata":{"name":"a"},"spec":{"deviceSelector":{"driver":"d"},
                "taint":{"key":"k","effect":"NoExecute"}}})"},
    Subject{"leases", "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            R"({"metadata":{"name":"a"},"spec":{"holderIdentity":"me"}})"}};

// An object and its patch; unknown words mean the first of each table.
struct Scene {
  const Subject* subject = &kSubjects.front();
  const Format* format = &kFormats.front();
  std::string path;
};

Scene scene_of(std::string_view line) {
  Scene scene;
  for (const Subject& subject : kSubjects) {
    if (line.starts_with(subject.name)) scene.subject = &subject;
  }
  for (const Format& format : kFormats) {
    if (line.ends_with(format.name)) scene.format = &format;
  }
  scene.path = std::string(scene.subject->collection) + "/a";
  if (line.contains("/status")) scene.path += "/status";
  return scene;
}

class PatchTest {
 public:
  explicit PatchTest(Scene scene) : scene_(std::move(scene)) {
    const Answer made = api_.post(scene_.subject->collection, std::string(scene_.subject->body));
    expect(made.ok(), "the scene can be set", apiserver::serialize(made.body));
    before_ = apiserver::serialize(object().body);
  }

  void try_dry(std::string_view body) {
    check_answer(patch("?fieldManager=me&force=true&dryRun=All", body));
    expect_equal(before_, apiserver::serialize(object().body), "a dry run changes nothing");
  }

  void patch_twice(std::string_view body) {
    const Answer first = patch("?fieldManager=me&force=true", body);
    check_answer(first);
    if (!first.ok()) {
      expect_equal(before_, apiserver::serialize(object().body),
                   "a patch that is refused changes nothing");
      return;
    }
    check_stored();
    check_answer(patch("?fieldManager=other", body));
    check_stored();
  }

 private:
  Answer object() { return api_.get(std::string(scene_.subject->collection) + "/a"); }

  Answer patch(std::string_view query, std::string_view body) {
    return api_.patch(scene_.path + std::string(query), scene_.format->content_type,
                      std::string(body));
  }

  void check_answer(const Answer& answer) {
    const std::string body = apiserver::serialize(answer.body);
    expect(!answer.body.empty(), "an answer is a JSON object", body);
    expect(answer.ok() || answer.text({"kind"}) == "Status", "a refusal is a Status", body);
    expect(answer.ok() || (answer.status >= 400 && answer.status <= 500), "a patch has a status",
           body);
  }

  // No patch can change these. (An object whose last finalizer was removed may be gone.)
  void check_stored() {
    const Answer now = object();
    if (now.status == 404) return;
    std::string problem;
    const auto before = apiserver::parse(before_, problem);
    for (const apiserver::Path path : {apiserver::Path{"apiVersion"}, {"kind"}}) {
      expect_equal(apiserver::text_at(before->get_object(), path), now.text(path),
                   "its kind stays");
    }
    for (const char* field : {"name", "namespace", "uid", "creationTimestamp"}) {
      expect_equal(apiserver::text_at(before->get_object(), {"metadata", field}),
                   now.text({"metadata", field}), "its identity stays");
    }
  }

  Scene scene_;
  runtime::VirtualTime time_;
  apiserver::Server server_{time_, runtime::Rng(1)};
  apiserver::Direct api_{server_};
  std::string before_;
};

}  // namespace

void run(std::string_view input) {
  const FirstLine first = split_first_line(input);
  PatchTest test(scene_of(first.line));
  test.try_dry(first.rest);
  test.patch_twice(first.rest);
}

}  // namespace dcm::fuzz
