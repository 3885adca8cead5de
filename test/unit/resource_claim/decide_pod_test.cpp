// The controller's decisions about a pod, as a table: the known state, and the next step.
#include "controllers/resource_claim/rules/decide_pod.hpp"

#include <gtest/gtest.h>

#include "controllers/resource_claim/explain/describe.hpp"
#include "test/support/objects.hpp"
#include "test/unit/resource_claim/known.hpp"

namespace dcm::resource_claim {
namespace {

using api::PodPhase;
using runtime::Error;
using runtime::Reason;
using test::make_claim;
using test::make_pod;
using test::make_template;

class Known : public KnownGeneration<Known, PodSnapshot> {
 public:
  explicit Known(PodPtr pod) { snapshot_.pod = std::move(pod); }

  const api::ObjectMeta& owner() const { return snapshot_.pod->meta; }
  Known& cached(const ClaimPtr& claim) {
    snapshot_.claims[claim->meta.key.name] = claim;
    if (claim->controller) snapshot_.owned.add(claim);
    return *this;
  }
  // Owned by the pod, in cache or own writes, but not named by the pod.
  Known& orphan(const ClaimPtr& claim) {
    snapshot_.owned.add(claim);
    return *this;
  }
  Known& busy(const std::string& claim) {
    snapshot_.busy.insert(claim);
    return *this;
  }
  Known& reserved_up_to(std::size_t position) {
    snapshot_.reserved_up_to = position;
    return *this;
  }
  Known& reserve_failed(const std::string& claim, Error error) {
    snapshot_.reserve_failures.emplace(claim, std::move(error));
    return *this;
  }
};

struct Row {
  const char* sentence;
  PodSnapshot known;
  const char* step;
};

void expect_steps(std::initializer_list<Row> rows, const common::FeatureGates& gates = {}) {
  for (const Row& row : rows) {
    EXPECT_EQ(describe(decide_pod(row.known, gates)), row.step) << row.sentence;
  }
}

// A pod with one pod claim "gpus" from template "gpu".
test::PodBuilder trainer() {
  return make_pod("trainer").from_template("gpus", "gpu");
}
test::ClaimBuilder generated(const std::string& name) {
  return make_claim(name).generated_for("trainer", "gpus");
}

TEST(DecidePod, creates_missing_claim) {
  expect_steps({
      {"a pod claim with a template gets a claim", Known(trainer()).with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"also when the pod has a node already",
       Known(trainer().on_node("n")).with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"a claim that the status names, that exists and is the pod's, is enough",
       Known(trainer().names("gpus", "x")).cached(generated("x")), "finished"},
      {"its template is no longer needed, and a claim being deleted exists",
       Known(trainer().names("gpus", "x")).cached(generated("x").being_deleted()), "finished"},
      {"a claim that the user named is not made, and needs no look-up",
       Known(make_pod("trainer").uses("gpus", "shared")), "finished"},
      {"nothing is made where the status says that none is needed",
       Known(trainer().needs_no_claim("gpus")).with(make_template("gpu")), "finished"},
      {"a claim for extended resources is never made, named or reserved",
       Known(make_pod("trainer").extended_resource_claim("e").on_node("n"))
           .cached(make_claim("e").for_extended_resources_of("trainer").allocated()),
       "finished"},
  });
}

TEST(DecidePod, reserves_nothing_while_name_cannot_be_written) {
  const PodSnapshot known = Known(trainer().on_node("n"))
                                .cached(generated("x").allocated())
                                .names_failed({Reason::forbidden, "no"});
  EXPECT_TRUE(describe(decide_pod(known, {})).starts_with("finished; "))
      << describe(decide_pod(known, {}));
}

TEST(DecidePod, reports_missing_named_claim) {
  expect_steps({
      {"a named claim that the cache does not have is asked for, as the cache may be behind",
       Known(trainer().names("gpus", "x")).with(make_template("gpu")), "get claim x"},
      {"the answer counts", Known(trainer().names("gpus", "x")).got("x", generated("x").get()),
       "finished"},
      {"one that is gone is made again, at once",
       Known(trainer().names("gpus", "x")).got("x", Gone{}).with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu, as claim x is gone"},
      {"also for a pod that has a node",
       Known(trainer().names("gpus", "x").on_node("n")).got("x", Gone{}).with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu, as claim x is gone"},
      {"a claim with another owner is replaced",
       Known(trainer().names("gpus", "x"))
           .cached(make_claim("x").generated_for("other", "gpus"))
           .with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu, as claim x is not owned by the pod"},
      {"so is one that was made for the pod that had the name before",
       Known(trainer().names("gpus", "x").with_uid("new"))
           .cached(generated("x"))
           .with(make_template("gpu")),
       "create trainer-gpus-q4wt5 for gpus from gpu, as claim x is not owned by the pod"},
      {"so is one without an owner, and one that the API server knows",
       Known(trainer().names("gpus", "x"))
           .got("x", make_claim("x").get())
           .with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu, as claim x is not owned by the pod"},
      {"a claim that a group owns is nobody's",
       Known(trainer().names("gpus", "x"))
           .cached(make_claim("x").for_pod_claim("gpus").controlled_by(
               {"scheduling.k8s.io", "PodGroup", "g", api::Uid("g")}))
           .with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu, as claim x is not owned by the pod"},
      {"a failed look-up proves nothing: nothing is created",
       Known(trainer().names("gpus", "x"))
           .got("x", Error{Reason::service_unavailable, "try later"})
           .with(make_template("gpu")),
       "finished; log: PodResourceClaim gpus: try later (retry)"},
  });
}

// A pod may have thousands of claims.
TEST(DecideClaims, skips_pod_claims_already_done) {
  constexpr std::size_t kClaims = 100;
  api::ClaimUser user;
  for (std::size_t i = 0; i < kClaims; ++i) {
    user.claims.push_back({"c" + std::to_string(i), "", "gpu"});
  }
  KnownClaims known;
  std::size_t looks = 0;
  const auto decide_one = [&](const api::PodClaim& pod_claim) -> PodClaimStep {
    ++looks;
    const std::string name = pod_claim.name.str();
    if (known.created.contains(name)) return Settled{Settled::Origin::generated, nullptr};
    CreateClaim create;
    create.pod_claim = create.name = name;
    return std::unexpected<Stop>(create);
  };
  for (std::size_t i = 0; i < kClaims; ++i) {
    const auto step = decide_claims(user, known, decide_one);
    ASSERT_FALSE(step);
    const auto* create = std::get_if<CreateClaim>(&step.error());
    ASSERT_NE(create, nullptr);
    ASSERT_EQ(create->pod_claim, "c" + std::to_string(i));
    known.created.emplace(create->name, ClaimPtr());
    known.looked_up_to = create->position;
  }
  EXPECT_TRUE(decide_claims(user, known, decide_one));
  EXPECT_LE(looks, 4 * kClaims);
}

const std::string kLongName(60, 't');
test::PodBuilder long_trainer() {
  return make_pod(kLongName).from_template("gpus", "gpu");
}
std::string long_claim_name() {
  return claim_name(kLongName, test::uid_of(kLongName), "gpus", 0);
}

TEST(DecidePod, uses_orphans_before_creating) {
  const std::string long_names = "write names gpus=" + long_claim_name();
  expect_steps({
      {"a claim that the pod owns, annotated with the pod claim, is used",
       Known(trainer()).orphan(generated("x")).with(make_template("gpu")), "write names gpus=x"},
      {"even without its template", Known(trainer()).orphan(generated("x")), "write names gpus=x"},
      {"also in place of a named claim that is gone",
       Known(trainer().names("gpus", "old")).got("old", Gone{}).orphan(generated("x")),
       "write names gpus=x"},
      {"the first, if there are several",
       Known(trainer()).orphan(generated("x")).orphan(generated("y")), "write names gpus=x"},
      {"not one for another pod claim",
       Known(trainer())
           .orphan(make_claim("x").generated_for("trainer", "nic"))
           .with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"one whose annotation a policy has stripped, known by its name",
       Known(trainer())
           .orphan(make_claim("trainer-gpus-b2tt8").owned_by("trainer"))
           .with(make_template("gpu")),
       "write names gpus=trainer-gpus-b2tt8"},
      {"also where the name of a claim is too long for those of its pod and pod claim",
       Known(long_trainer())
           .orphan(make_claim(long_claim_name()).owned_by(kLongName))
           .with(make_template("gpu")),
       long_names.c_str()},
      {"not one without annotation of another name",
       Known(trainer()).orphan(make_claim("x").owned_by("trainer")).with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"not one of the pod that had the name before",
       Known(trainer().with_uid("new")).orphan(generated("x")).with(make_template("gpu")),
       "create trainer-gpus-q4wt5 for gpus from gpu"},
      {"not one of another namespace",
       Known(trainer()).orphan(generated("x").in_namespace("other")).with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"not the claim for the pod's extended resources",
       Known(trainer())
           .orphan(make_claim("x").for_extended_resources_of("trainer"))
           .with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
  });
}

TEST(DecidePod, looks_up_owner_of_taken_name) {
  const std::string first = "trainer-gpus-b2tt8";
  const std::string second = "trainer-gpus-79dd2";
  expect_steps({
      {"an earlier create may have made it unseen: ask for what has the name",
       Known(trainer()).taken("gpus").with(make_template("gpu")), "get claim trainer-gpus-b2tt8"},
      {"the pod's claim for this pod claim is used",
       Known(trainer()).taken("gpus").got(first, generated(first).get()),
       "write names gpus=trainer-gpus-b2tt8"},
      {"a claim with another owner keeps its name",
       Known(trainer())
           .taken("gpus")
           .got(first, make_claim(first).generated_for("other", "gpus").get())
           .with(make_template("gpu")),
       "create trainer-gpus-79dd2 for gpus from gpu"},
      {"so does one for another pod claim",
       Known(trainer())
           .taken("gpus")
           .got(first, make_claim(first).generated_for("trainer", "nic").get())
           .with(make_template("gpu")),
       "create trainer-gpus-79dd2 for gpus from gpu"},
      {"so does one that is on its way out",
       Known(trainer())
           .taken("gpus")
           .got(first, generated(first).being_deleted().get())
           .with(make_template("gpu")),
       "create trainer-gpus-79dd2 for gpus from gpu"},
      {"that the cache has such a one is known without asking",
       Known(trainer()).cached(generated(first).being_deleted()).with(make_template("gpu")),
       "create trainer-gpus-79dd2 for gpus from gpu"},
      {"the second name is looked at in the same way",
       Known(trainer())
           .taken("gpus")
           .got(first, make_claim(first).get())
           .taken("gpus", 1)
           .got(second, generated(second).get()),
       "write names gpus=trainer-gpus-79dd2"},
      {"one that has gone meanwhile gives the name back, in the next round",
       Known(trainer()).taken("gpus").gone(first).with(make_template("gpu")),
       "finished; detail: PodResourceClaim gpus: claim trainer-gpus-b2tt8 has just gone (retry)"},
      {"a failed look-up proves nothing: nothing is created",
       Known(trainer())
           .taken("gpus")
           .got(first, Error{Reason::server_timeout, "timeout"})
           .with(make_template("gpu")),
       "finished; log: PodResourceClaim gpus: timeout (retry)"},
  });
}

TEST(DecidePod, reports_exhausted_names) {
  Known known(trainer());
  known.with(make_template("gpu"));
  for (unsigned number = 0; number < kClaimNamesMax; ++number) {
    known.got(known.name_of("gpus", number), make_claim("x").get());
  }
  EXPECT_EQ(describe(decide_pod(known, {})),
            "finished; FailedResourceClaimCreation: PodResourceClaim gpus: create ResourceClaim: "
            "other objects have all names that it may have (retry)");
}

test::PodBuilder with_two() {
  return make_pod("trainer").from_template("nic", "net").from_template("gpus", "gpu");
}
test::ClaimBuilder nic(const std::string& name) {
  return make_claim(name).generated_for("trainer", "nic");
}

TEST(DecidePod, writes_all_names_at_once) {
  expect_steps({
      {"first all claims are made",
       Known(with_two()).created("nic", nic("n")).with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"then all names are written, sorted by pod claim",
       Known(with_two()).created("nic", nic("n")).created("gpus", generated("g")),
       "write names gpus=g nic=n"},
      {"a claim that is made again keeps the other's name",
       Known(with_two().names("nic", "n").names("gpus", "old"))
           .cached(nic("n"))
           .got("old", Gone{})
           .created("gpus", generated("g")),
       "write names gpus=g nic=n"},
      {"nothing new: no write",
       Known(with_two().names("nic", "n").names("gpus", "g"))
           .cached(nic("n"))
           .cached(generated("g")),
       "finished"},
      {"written once is enough", Known(trainer()).created("gpus", generated("g")).names_written(),
       "finished"},
      {"a pod claim that needs no claim gets no entry",
       Known(with_two().needs_no_claim("nic")).created("gpus", generated("g")),
       "write names gpus=g"},
      {"nor does one with a claim that the user named",
       Known(trainer().uses("shared", "s")).cached(make_claim("s")).created("gpus", generated("g")),
       "write names gpus=g"},
  });
}

TEST(DecidePod, continues_after_failing_pod_claim) {
  expect_steps({
      {"the other claim is made", Known(with_two()).with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"its name is written",
       Known(with_two()).with(make_template("gpu")).created("gpus", generated("g")),
       "write names gpus=g"},
      {"then the failure is reported, and tried again",
       Known(with_two()).with(make_template("gpu")).created("gpus", generated("g")).names_written(),
       "finished; FailedResourceClaimCreation: PodResourceClaim nic: resource claim template "
       "\"net\": resourceclaimtemplate.resource.k8s.io \"net\" not found (retry)"},
      {"the name of a claim that cannot be replaced stays: an apply without it would remove it",
       Known(with_two().names("nic", "old")).got("old", Gone{}).created("gpus", generated("g")),
       "write names gpus=g nic=old"},
      {"a look-up that fails does not stop the others either",
       Known(with_two().names("nic", "n"))
           .got("n", Error{Reason::server_timeout, "timeout"})
           .with(make_template("gpu")),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"reservations are made all the same",
       Known(with_two().uses("shared", "s").names("gpus", "g").on_node("n"))
           .cached(generated("g").allocated().reserved_for("trainer"))
           .cached(make_claim("s").allocated()),
       "reserve s for trainer trainer-uid"},
  });
}

TEST(DecidePod, explains_failed_creation) {
  expect_steps({
      {"no template", Known(trainer()),
       "finished; FailedResourceClaimCreation: PodResourceClaim gpus: resource claim template "
       "\"gpu\": resourceclaimtemplate.resource.k8s.io \"gpu\" not found (retry)"},
      {"the server refuses",
       Known(trainer())
           .with(make_template("gpu"))
           .create_failed("gpus", {Reason::forbidden, "exceeded quota: q"}),
       "finished; FailedResourceClaimCreation: PodResourceClaim gpus: create ResourceClaim "
       "trainer-gpus-b2tt8: exceeded quota: q (retry)"},
      {"who stops reports nothing",
       Known(trainer())
           .with(make_template("gpu"))
           .create_failed("gpus", {Reason::shutting_down, "stopping"}),
       "finished; detail: PodResourceClaim gpus: create ResourceClaim "
       "trainer-gpus-b2tt8: stopping (no retry)"},
      {"a newer API than we know", Known(make_pod("trainer").unsupported("gpus")),
       "finished; FailedResourceClaimCreation: PodResourceClaim gpus: checking for claim before "
       "creating it: pod \"lab/trainer\", spec.resourceClaim \"gpus\": none of the supported "
       "fields are set (retry)"},
      {"admin access is no obstacle while its gate is on",
       Known(trainer()).with(make_template("gpu").with_admin_access()),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
      {"neither is a prioritized list",
       Known(trainer()).with(make_template("gpu").with_prioritized_list()),
       "create trainer-gpus-b2tt8 for gpus from gpu"},
  });
  expect_steps(
      {{"admin access while its gate is off",
        Known(trainer()).with(make_template("gpu").with_admin_access()),
        "finished; FailedResourceClaimCreation: PodResourceClaim gpus: admin access is requested, "
        "but the feature is disabled (retry)"}},
      {.dra_admin_access = false});
  expect_steps(
      {{"a prioritized list while its gate is off",
        Known(trainer()).with(make_template("gpu").with_prioritized_list()),
        "finished; FailedResourceClaimCreation: PodResourceClaim gpus: template includes a "
        "prioritized list of subrequests, but the feature is disabled (retry)"}},
      {.dra_prioritized_list = false});
}

TEST(DecidePod, ignores_pods_that_need_nothing) {
  expect_steps({
      {"a pod that has succeeded",
       Known(trainer().on_node("n").phase(PodPhase::succeeded)).with(make_template("gpu")),
       "finished"},
      {"a pod that has failed", Known(trainer().phase(PodPhase::failed)).with(make_template("gpu")),
       "finished"},
      {"a pod that is being deleted", Known(trainer().being_deleted()).with(make_template("gpu")),
       "finished"},
      {"also while it still runs",
       Known(trainer().being_deleted().on_node("n")).with(make_template("gpu")), "finished"},
      {"a finished pod's claim that is gone is not made again",
       Known(trainer().names("gpus", "x").phase(PodPhase::succeeded)).with(make_template("gpu")),
       "finished"},
      {"a member of a pod group fails as a whole, also its own pod claims, without an event",
       Known(trainer().in_group("g")).with(make_template("gpu")),
       "finished; log: Pod is a member of PodGroup g but GenericWorkload feature is disabled "
       "(no retry)"},
      {"and gets no reservation",
       Known(make_pod("trainer").uses("a", "s").in_group("g").on_node("n"))
           .cached(make_claim("s").allocated()),
       "finished; log: Pod is a member of PodGroup g but GenericWorkload feature is disabled "
       "(no retry)"},
      {"a finished member of a pod group is no failure",
       Known(trainer().in_group("g").phase(PodPhase::succeeded)), "finished"},
  });
}

test::PodBuilder bound() {
  return make_pod("trainer").uses("a", "s").on_node("n");
}

TEST(DecidePod, reserves_for_pod_with_node) {
  auto full = make_claim("s").allocated();
  for (int i = 0; i < 256; ++i) full.reserved_for("other-" + std::to_string(i));
  expect_steps({
      {"an allocated claim is reserved for it", Known(bound()).cached(make_claim("s").allocated()),
       "reserve s for trainer trainer-uid"},
      {"also a generated one",
       Known(trainer().names("gpus", "x").on_node("n")).cached(generated("x").allocated()),
       "reserve x for trainer trainer-uid"},
      {"also next to others",
       Known(bound()).cached(make_claim("s").allocated().reserved_for("other")),
       "reserve s for trainer trainer-uid"},
      {"also where only the pod that had the name before has a reservation",
       Known(bound().with_uid("new")).cached(make_claim("s").allocated().reserved_for("trainer")),
       "reserve s for trainer new"},
      {"not again", Known(bound()).cached(make_claim("s").allocated().reserved_for("trainer")),
       "finished"},
      {"not before the pod has a node",
       Known(make_pod("trainer").uses("a", "s")).cached(make_claim("s").allocated()), "finished"},
      {"not a claim that is not allocated", Known(bound()).cached(make_claim("s")), "finished"},
      {"not a claim that is not known", Known(bound()), "finished"},
      {"not a claim that is being deleted: the server refuses it",
       Known(bound()).cached(make_claim("s").allocated().being_deleted()), "finished"},
      {"never for a done pod",
       Known(bound().phase(PodPhase::succeeded)).cached(make_claim("s").allocated()), "finished"},
      {"with 256 entries there nothing is sent, and an event says so", Known(bound()).cached(full),
       "finished; FailedResourceClaimReservation: resource claim \"s\" is reserved for 256 "
       "consumers already (no retry)"},
      {"while another pod's reservation is under way it waits for that",
       Known(bound()).cached(make_claim("s").allocated()).busy("s"), "finished"},
      {"a name that was written a moment ago counts as known",
       Known(trainer().on_node("n")).orphan(generated("x").allocated()).names_written(),
       "reserve x for trainer trainer-uid"},
      {"names are written first, as the reservation is of no use without",
       Known(trainer().on_node("n")).orphan(generated("x").allocated()), "write names gpus=x"},
      {"those behind the last one that was reserved come first, then those before it",
       Known(make_pod("trainer").uses("a", "s").uses("b", "t").uses("c", "u").on_node("n"))
           .cached(make_claim("s").allocated())
           .cached(make_claim("t").allocated().reserved_for("trainer"))
           .cached(make_claim("u").allocated())
           .reserved_up_to(1),
       "reserve u for trainer trainer-uid"},
      {"and a change of those before it is not lost",
       Known(make_pod("trainer").uses("a", "s").uses("b", "t").on_node("n"))
           .cached(make_claim("s").allocated())
           .cached(make_claim("t").allocated().reserved_for("trainer"))
           .reserved_up_to(1),
       "reserve s for trainer trainer-uid"},
      {"a claim that two pod claims share is reserved once",
       Known(make_pod("trainer").uses("a", "s").uses("b", "s").on_node("n"))
           .cached(make_claim("s").allocated().reserved_for("trainer")),
       "finished"},
      {"what the write returned replaces what was found before",
       Known(trainer().on_node("n"))
           .orphan(generated("x").allocated())
           .names_written()
           .got("x", generated("x").allocated().reserved_for("trainer").get()),
       "finished"},
  });
}

TEST(DecidePod, reports_failed_reservations) {
  const auto known = [] { return Known(bound()).cached(make_claim("s").allocated()); };
  expect_steps({
      {"changed meanwhile: decided again, no fault",
       known().reserve_failed("s", {Reason::conflict, "modified"}),
       "finished; detail: reserve ResourceClaim s: modified (retry)"},
      {"gone meanwhile: nothing left to do",
       known().reserve_failed("s", {Reason::object_not_found, "not found"}),
       "finished; detail: reserve ResourceClaim s: not found (no retry)"},
      {"reported and retried when the server calls it invalid, as this may come from a policy",
       known().reserve_failed("s", {Reason::invalid, "too many"}),
       "finished; log: reserve ResourceClaim s: too many (retry)"},
      {"without the permission it is tried again slowly",
       known().reserve_failed("s", test::binding_refused()),
       "finished; log: reserve ResourceClaim s: Forbidden: changing this needs patch on "
       "resourceclaims/binding (retry slowly)"},
      {"one failure does not stop the next reservation",
       Known(make_pod("trainer").uses("a", "s").uses("b", "t").on_node("n"))
           .cached(make_claim("s").allocated())
           .cached(make_claim("t").allocated())
           .reserve_failed("s", {Reason::conflict, "modified"}),
       "reserve t for trainer trainer-uid"},
  });
}

TEST(DecidePod, creates_claim_for_exactly_this_pod) {
  const PodStep step = decide_pod(
      Known(trainer().with_uid("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11")).with(make_template("gpu")),
      {});
  const auto& create = std::get<CreateClaim>(step);
  EXPECT_EQ(create.owner.api_version, "v1");
  EXPECT_EQ(create.owner.kind, "Pod");
  EXPECT_EQ(create.owner.name, "trainer");
  EXPECT_EQ(create.owner.uid.str(), "5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11");
  EXPECT_EQ(create.claim_template->meta.key.name, "gpu");
}

}  // namespace
}  // namespace dcm::resource_claim
