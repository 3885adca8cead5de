// The page of a manager, on stores that are filled by hand.
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gmock/gmock.h>

#include "explain/page.hpp"
#include "runtime/loop.hpp"
#include "runtime/run_all.hpp"
#include "test/support/objects.hpp"

namespace dcm::explain {
namespace {

using namespace manager;

namespace json = boost::json;
using common::Draft;
using common::Outlook;
using testing::HasSubstr;
using testing::Not;

const std::string kHostile = "<script>alert('x')</script> & \"more\"";

// Knows pod lab/trainer-0, and lab/hostile, whose texts are HTML, and nothing else.
class OnePod final : public ExplanationSource {
 public:
  common::Sight sight() const override { return hidden; }
  std::optional<Draft> explain(const Subject& subject) const override {
    if (subject == Subject{Subject::Kind::pod, {"lab", "hostile"}}) {
      Draft hostile{.about = {.kind = "Pod",
                              .namespace_ = "lab",
                              .name = kHostile,
                              .uid = kHostile,
                              .description = kHostile}};
      auto& topic = hostile.topics.emplace_back(common::Topic{kHostile, {}});
      topic.add(Outlook::stuck, kHostile, kHostile);
      return hostile;
    }
    if (subject != Subject{Subject::Kind::pod, {"lab", "trainer-0"}}) return std::nullopt;
    Draft explanation{.about = {.kind = "Pod",
                                .namespace_ = "lab",
                                .name = "trainer-0",
                                .uid = "u-1",
                                .description = "Pending, on no node yet"}};
    auto& topic = explanation.topics.emplace_back(common::Topic{"Pod claim \"accel\"", {}});
    topic.asks = is_asked;
    if (acts) topic.add(Outlook::acting, "Create", "Next: make the claim.");
    topic.add(Outlook::waiting, "NotAllocated", "It waits for the scheduler.");
    topic.add(Outlook::stuck, "TemplateMissing", "There is no template.");
    return explanation;
  }

  common::Sight hidden;
  common::Inputs is_asked;
  bool acts = false;
};

struct ExplainPage : testing::Test {
  http::Response get(std::string target, http::Headers headers = {},
                     Audience audience = Audience::everything) {
    return runtime::run_on(
        loop,
        page.answer_later({.target = std::move(target), .headers = std::move(headers)}, audience));
  }

  runtime::VirtualLoop loop;
  OnePod pods;
  const ExplanationSource* source = &pods;
  Teller teller;
  Page page = make_explain_page(
      loop.time(), {.source = [this] { return source; }, .teller = [this] { return teller; }});
};

// A decoder's error names the object that it could not read.
TEST_F(ExplainPage, names_unreadable_objects_only_to_readers_of_everything) {
  pods.hidden.hide(common::Input::claims, "JSON: spec: expected an object (in theirs/secret)");
  teller.missing = "resourceclaims: JSON: spec: expected an object (in theirs/secret)";
  for (const auto* const path :
       {"/debug/explain/pods/lab/trainer-0", "/debug/explain/pods/lab/x"}) {
    EXPECT_THAT(get(path).body, HasSubstr("theirs/secret")) << path;
    const std::string limited = get(path, {}, Audience::own_object).body;
    EXPECT_THAT(limited, HasSubstr("the manager's log says why")) << path;
    EXPECT_THAT(limited, Not(HasSubstr("theirs/secret"))) << path;
  }
  source = nullptr;
  EXPECT_THAT(get("/debug/explain/pods/lab/x", {}, Audience::own_object).body,
              Not(HasSubstr("theirs/secret")));
}

TEST_F(ExplainPage, shows_sentences_by_severity) {
  const http::Response response = get("/debug/explain/pods/lab/trainer-0");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.find("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_THAT(response.body, HasSubstr("Pod lab/trainer-0 (UID u-1): Pending, on no node yet\n"
                                       "\n"
                                       "It cannot make progress on its own:\n"
                                       "  There is no template.\n"
                                       "\n"
                                       "Pod claim \"accel\"\n"
                                       "  waiting  It waits for the scheduler.\n"
                                       "  stuck    There is no template.\n"));
  EXPECT_THAT(response.body, HasSubstr("by the active dra-controller-manager.\n"));
}

TEST_F(ExplainPage, shows_json_on_request) {
  for (const http::Response& response :
       {get("/debug/explain/pods/lab/trainer-0?output=json"),
        get("/debug/explain/pods/lab/trainer-0", {{"Accept", "application/json"}})}) {
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.headers.find("Content-Type"), "application/json");
    const json::value told = json::parse(response.body);
    EXPECT_EQ(told.at("kind"), "Explanation");
    EXPECT_EQ(told.at("outlook"), "stuck");
    EXPECT_EQ(told.at("subject").at("namespace"), "lab");
    EXPECT_EQ(told.at("summary").at(0), "There is no template.");
    EXPECT_EQ(told.at("topics").at(0).at("findings").at(1).at("reason"), "TemplateMissing");
    EXPECT_EQ(told.at("toldBy").at("role"), "works");
  }
}

TEST_F(ExplainPage, prefers_text_for_clients_that_accept_both) {
  const http::Response response =
      get("/debug/explain/pods/lab/trainer-0", {{"Accept", "text/plain, application/json"}});
  EXPECT_EQ(response.headers.find("Content-Type"), "text/plain; charset=utf-8");
}

TEST_F(ExplainPage, shows_html_for_browsers) {
  const http::Response response =
      get("/debug/explain/pods/lab/trainer-0", {{"Accept", "text/html,*/*;q=0.8"}});
  EXPECT_EQ(response.headers.find("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(response.body, HasSubstr("<h1>Pod lab/trainer-0</h1>"));
  EXPECT_THAT(response.body, HasSubstr("<li><b>stuck</b> There is no template.</li>"));
}

TEST_F(ExplainPage, escapes_html_in_objects) {
  teller = {.role = Teller::Role::stands_by, .leader = kHostile, .missing = kHostile};
  const http::Response response = get("/debug/explain/pods/lab/hostile", {{"Accept", "text/html"}});
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, Not(HasSubstr("<script>")));
  EXPECT_THAT(response.body, Not(HasSubstr("\"more")));
  EXPECT_THAT(response.body, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
  EXPECT_THAT(*response.headers.find("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  const http::Response none = get("/debug/explain/pods/<b>/x", {{"Accept", "text/html"}});
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("pods/&lt;namespace&gt;/&lt;name&gt;"));
}

TEST_F(ExplainPage, names_leader_on_standby) {
  teller = {.role = Teller::Role::stands_by, .identity = "a_1", .leader = "b_2"};
  const std::string text = get("/debug/explain/pods/lab/trainer-0").body;
  // Lines may break anywhere.
  EXPECT_THAT(text, HasSubstr("standby dra-controller-manager a_1."));
  EXPECT_THAT(text, HasSubstr("b_2"));
  const json::value told = json::parse(get("/debug/explain/pods/lab/trainer-0?output=json").body);
  EXPECT_EQ(told.at("toldBy").at("role"), "standsBy");
  EXPECT_EQ(told.at("toldBy").at("leader"), "b_2");
}

TEST_F(ExplainPage, warns_while_caches_are_incomplete) {
  teller.missing = "pods: not synced yet";
  EXPECT_THAT(get("/debug/explain/pods/lab/trainer-0").body,
              HasSubstr("CAUTION: the caches are incomplete: pods: not synced yet."));
  EXPECT_EQ(get("/debug/explain/pods/lab/another").status, 503);
  source = nullptr;
  const http::Response nothing = get("/debug/explain/pods/lab/trainer-0");
  EXPECT_EQ(nothing.status, 503);
  EXPECT_THAT(nothing.body, HasSubstr("nothing is known yet: pods: not synced yet"));
}

TEST_F(ExplainPage, names_unreadable_objects_first) {
  pods.hidden.hide(common::Input::templates, "forbidden");
  pods.is_asked = {common::Input::templates};
  const http::Response response = get("/debug/explain/pods/lab/trainer-0");
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.headers.find(kInPartHeader));
  EXPECT_THAT(response.body, HasSubstr("Not known:\n  ResourceClaimTemplates could not be read: "
                                       "forbidden. It is not known"));
  EXPECT_FALSE(json::parse(get("/debug/explain/pods/lab/trainer-0?output=json").body)
                   .at("unknown")
                   .as_array()
                   .empty());
}

TEST_F(ExplainPage, does_not_call_unreadable_object_missing) {
  pods.hidden.hide(common::Input::groups, "the feature gate GenericWorkload is off");
  const http::Response response = get("/debug/explain/podgroups/lab/trainers");
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr("the feature gate GenericWorkload is off"));
}

TEST_F(ExplainPage, does_not_promise_action_in_dry_run) {
  pods.acts = true;
  teller = {.role = Teller::Role::watches};
  const std::string text = get("/debug/explain/pods/lab/trainer-0").body;
  EXPECT_THAT(text, HasSubstr("This manager runs with --dry-run and carries nothing out."));
  EXPECT_THAT(text, Not(HasSubstr("acting")));
  teller = {.role = Teller::Role::stands_by};
  EXPECT_THAT(get("/debug/explain/pods/lab/trainer-0").body,
              HasSubstr("Nobody holds the manager's lease"));
}

TEST_F(ExplainPage, rejects_unknown_objects_and_paths) {
  const http::Response unknown = get("/debug/explain/pods/lab/another");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.body,
              HasSubstr("Pod lab/another is not known here: there is none, or it uses no claims"));
  for (const char* path :
       {"", "pods", "pods/", "pods/lab", "pods/lab/", "pods//a", "pods/lab/a/b", "nodes/lab/a",
        "devicetaintrules/lab/a", "pods/lab/A%20b", "pods/../x"}) {
    const http::Response response = get(std::string("/debug/explain/") + path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_THAT(response.body, HasSubstr("/debug/explain/pods/<namespace>/<name>")) << path;
  }
  EXPECT_THAT(get("/debug/explain/devicetaintrules/a?output=json").body,
              HasSubstr("\"message\":\"DeviceTaintRule a is not known here: there is none\""));
}

TEST(ExplainSubject, accepts_kubectl_resource_names) {
  using Kind = Subject::Kind;
  struct Row {
    std::vector<std::string> words;
    Subject subject;
  };
  for (const Row& row : std::vector<Row>{
           {{"pod", "lab/a"}, {Kind::pod, {"lab", "a"}}},
           {{"pods", "a"}, {Kind::pod, {"default", "a"}}},
           {{"po/a"}, {Kind::pod, {"default", "a"}}},
           {{"Pod/lab/a"}, {Kind::pod, {"lab", "a"}}},
           {{"resourceclaim", "lab/c"}, {Kind::claim, {"lab", "c"}}},
           {{"resourceclaims.resource.k8s.io/c"}, {Kind::claim, {"default", "c"}}},
           {{"devicetaintrule", "r"}, {Kind::rule, {{}, "r"}}},
           {{"devicetaintrules.resource.k8s.io", "r.x"}, {Kind::rule, {{}, "r.x"}}},
       }) {
    const auto subject = subject_from_words(row.words, "default");
    ASSERT_TRUE(subject) << row.words.front() << ": " << subject.error().message;
    EXPECT_EQ(*subject, row.subject) << row.words.front();
    EXPECT_EQ(*subject_from_path(path_of(row.subject).substr(kExplainPath.size())), row.subject);
  }
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"pod"},
                                             {"pod", "a", "b"},
                                             {"node", "a"},
                                             {"pod", "a/b/c"},
                                             {"pod", ""},
                                             {"devicetaintrule", "lab/r"},
                                             {"pod", "../x"},
                                             {"pod", "A"}}) {
    EXPECT_FALSE(subject_from_words(words, "default")) << (words.empty() ? "" : words.back());
  }
}

}  // namespace
}  // namespace dcm::explain
