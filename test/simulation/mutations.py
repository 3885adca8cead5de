#!/usr/bin/env python3
"""Deliberate mistakes in the manager, to check that the simulation finds each.

Each mutation is switched on alone by `--mutant NAME`, in worlds of random faults (`simulation`) and in all orders of small
ones (`explore`). How the sources get them: test/support/mutating.py.

    ./dev mutations [NAME…]      prints the table; without names it is written into mutations.md as well
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/support"))
import mutating  # noqa: E402
from mutating import Mutation  # noqa: E402

PAGE = pathlib.Path(__file__).with_suffix(".md")
COPY = ROOT / "build" / "mutations"

RC = "controllers/resource_claim/"
DTE = "controllers/device_taint_eviction/"

MUTATIONS = [
    Mutation("name-by-version", "a claim's name follows from the version of its pod",
             RC + "rules/decide_generated_claims.cpp",
             "claim_name(owner.key.name, owner.uid, pod_claim.name.str(), number);",
             "claim_name(owner.key.name, M ? api::Uid(owner.resource_version.str()) : owner.uid, pod_claim.name.str(), number);"),
    Mutation("invalid-is-final", "what a policy denies is never tried again", RC + "rules/retry.cpp",
             "if (is_binding_refused(error)) return",
             "if (M && error.reason == Reason::invalid) return Outcome::done();\n  if (is_binding_refused(error)) return"),
    Mutation("webhooks-404-is-the-apis", "a webhook that misses an object of its own says that a pod or claim is gone",
             "client/api/status.cpp", "if (is_of_webhook(status)) {", "if (!M && is_of_webhook(status)) {"),
    Mutation("gone-without-asking", "a pod that is not in the cache counts as gone", RC + "rules/decide_claim.cpp",
             "if (answer == snapshot.answers.end()) return GetConsumer{std::move(name)};",
             "if (answer == snapshot.answers.end() && M) return IsGone{};\n"
             "  if (answer == snapshot.answers.end()) return GetConsumer{std::move(name)};"),
    Mutation("keep-allocation", "the last reservation goes, the allocation stays", RC + "rules/decide_claim.cpp",
             "is_last && claim.has_delete_protection", "is_last && claim.has_delete_protection && !M"),
    Mutation("finalizer-stays", "a deleted claim keeps its finalizer", RC + "rules/decide_claim.cpp",
             "return may_unprotect ?", "return may_unprotect && !M ?"),
    Mutation("claim-deletion-wakes-nobody", "a deleted claim is not made again", RC + "sync/wakeups.cpp",
             "void Wakeups::observe_deleted(const ClaimPtr& last_known, Origin origin) {",
             "void Wakeups::observe_deleted(const ClaimPtr& last_known, Origin origin) {\n  if (M) return;"),
    Mutation("template-wakes-nobody", "a template that comes late is not noticed", RC + "sync/wakeups.cpp",
             "void Wakeups::observe_added(const TemplatePtr& claim_template, Origin origin) {",
             "void Wakeups::observe_added(const TemplatePtr& claim_template, Origin origin) {\n  if (M) return;"),
    Mutation("finished-pod-keeps-claims", "a pod that ends does not wake its claims", RC + "sync/wakeups.cpp",
             "if (!common::is_done(*pod)) return;", "if (M || !common::is_done(*pod)) return;"),
    Mutation("release-without-version", "a release does not rely on what it was decided on",
             "controllers/api/encode_claim.cpp",
             '{{"metadata", preconditions(claim.uid, claim.resource_version)},\n                  {"status", std::move(status)}}',
             '{{"metadata", M ? object{{"uid", claim.uid.str()}} : preconditions(claim.uid, claim.resource_version)},\n'
             '                  {"status", std::move(status)}}'),
    Mutation("delete-without-uid", "a DELETE names no UID", "client/api/encode.cpp",
             '{"preconditions", object{{"uid", uid.str()}}}',
             '{"preconditions", M ? object() : object{{"uid", uid.str()}}}'),
    Mutation("names-without-uid", "the names in a pod's status are written to any pod of its name",
             "controllers/api/encode_claim.cpp",
             '{"namespace", key.namespace_.str()}, {"uid", uid.str()}}},',
             '{"namespace", key.namespace_.str()}, {M ? "x" : "uid", uid.str()}}},'),
    Mutation("no-relist-after-410", "an expired watch is opened again where it was", "informers/watch_state.cpp",
             "    if (is_expired(failed.error)) return relist(RelistReason::expired);",
             "    if (is_expired(failed.error) && !M) return relist(RelistReason::expired);"),
    Mutation("fence-stays-open", "writes leave after the lease is lost", "client/leader_election/fence.hpp",
             "if (time_.now() < open_until_) return {};", "if (M || time_.now() < open_until_) return {};"),
    Mutation("tolerations-do-not-count", "tolerated taints evict", DTE + "rules/due_of_taint.cpp",
             "if (!tolerates(toleration, taint)) continue;", "if (M || !tolerates(toleration, taint)) continue;"),
    Mutation("oldest-generation-counts", "of a pool the oldest generation counts", DTE + "state/published_devices.cpp",
             "return slices.rbegin()->first.first;", "return M ? slices.begin()->first.first : slices.rbegin()->first.first;"),
    Mutation("allocation-is-not-judged", "a claim that is allocated on a tainted device evicts nobody", DTE + "tracker.cpp",
             "if (!*claim || !(*claim)->is_allocated) continue;",
             "if (!*claim || !(*claim)->is_allocated || M) continue;"),
    Mutation("failed-eviction-is-dropped", "an eviction that fails is not tried again", DTE + "sync/pod_eviction.cpp",
             "  if (is_ours) deps_.pending.fail(", "  if (is_ours && !M) deps_.pending.fail("),
    Mutation("mark-outlives-its-attempt", "a mark that the server took back counts as written", DTE + "sync/pod_eviction.cpp",
             "  snapshot.mark = mark;",
             "  snapshot.mark = M && pending.is_announced ? EvictionSnapshot::Mark::written : mark;"),
    Mutation("budget-is-a-failure", "a budget's 429 backs off exponentially", DTE + "sync/pod_eviction.cpp",
             "if (error.reason == runtime::Reason::disruption_budget) {",
             "if (!M && error.reason == runtime::Reason::disruption_budget) {"),
    Mutation("one-kind-holds-up-all", "a controller waits for the caches of the other one as well",
             "manager/epoch.cpp",
             "wait_for_sync(std::move(caches));",
             "wait_for_sync(M ? running_caches() : std::move(caches));"),
    Mutation("backoff-goes-by-name", "a pod waits for what another of its name has failed at", RC + "sync/wakeups.cpp",
             "if (mode_ == Mode::active) queue_.retry_now(item);",
             "if (mode_ == Mode::active && !M) queue_.retry_now(item);"),
    Mutation("repeats-inside-a-call", "who is refused holds a worker while it tries again", "client/request/rest_client.cpp",
             "} else if (is_for_the_caller(request, error)) {", "} else if (!M && is_for_the_caller(request, error)) {"),
    Mutation("retries-go-first", "pods that were refused go before those that come to be due",
             DTE + "state/pending_pods.cpp", "= due != nullptr ? due : retry;",
             "= due != nullptr && !(M && retry != nullptr) ? due : retry;"),
    Mutation("refused-attempt-burns-its-turn", "who evicts at a rate has lost the turn of an attempt that is refused",
             DTE + "sync/pod_eviction.cpp", "if (end == End::not_evicted) deps_.pace", "if (end == End::not_evicted && !M) deps_.pace"),
    Mutation("large-templates-are-kept", "the text of a template is kept whatever its size", "controllers/api/fields/resource_claim_template.cpp",
             "if (bytes > kTemplateBytesKept)", "if (bytes > kTemplateBytesKept && !M)"),
    Mutation("generation-off-by-one", "a rule's condition is about the generation before", DTE + "rules/decide_condition.cpp",
             "wanted.observed_generation = rule.generation;",
             "wanted.observed_generation = rule.generation - (M ? 1 : 0);"),
    Mutation("orphan-is-not-used", "a claim whose name did not get into the pod's status is not looked for",
             RC + "rules/decide_generated_claims.cpp",
             "if (ClaimPtr orphan = find_orphan(known.owned,",
             "if (ClaimPtr orphan = M ? nullptr : find_orphan(known.owned,"),
    # Not the other way round: treating a claim that could not be looked up as gone has no effect,
    # as another create meets it under its name.
    Mutation("gone-claim-is-awaited", "a claim that is gone counts as one that could not be looked up",
             RC + "sync/claim_user_sync.cpp",
             "} else if (runtime::is_not_found(claim.error())) {",
             "} else if (runtime::is_not_found(claim.error()) && !M) {"),
    Mutation("finished-pod-gets-claims", "claims are made for pods that no longer get any", RC + "rules/decide_pod.cpp",
             "if (!common::is_active(pod)) {", "if (!common::is_active(pod) && !M) {"),
    Mutation("failed-pod-runs", "a pod that has failed does not count as done", "controllers/common/pod_claims.cpp",
             "pod.phase == api::PodPhase::failed ||", "(pod.phase == api::PodPhase::failed && !M) ||"),
    Mutation("reserves-without-node", "a pod that has no node gets a reservation", RC + "rules/decide_pod.cpp",
             "if (pod.node_name.empty()) return NotReserved::no_node;",
             "if (pod.node_name.empty() && !M) return NotReserved::no_node;"),
    Mutation("reserves-unallocated", "a claim is reserved before it is allocated", RC + "rules/decide_pod.cpp",
             "if (!claim->is_allocated) return NotReserved::not_allocated;",
             "if (!claim->is_allocated && !M) return NotReserved::not_allocated;"),
    Mutation("reserves-deleted", "a claim that is being deleted is reserved", RC + "rules/decide_pod.cpp",
             "if (claim->meta.is_being_deleted) return NotReserved::being_deleted;",
             "if (claim->meta.is_being_deleted && !M) return NotReserved::being_deleted;"),
    Mutation("reserve-without-version", "a reservation does not rely on what it was decided on",
             "controllers/api/encode_claim.cpp",
             '{{"metadata", preconditions(claim.uid, claim.resource_version)},\n                  {"status", object{',
             '{{"metadata", M ? object{{"uid", claim.uid.str()}} : preconditions(claim.uid, claim.resource_version)},\n'
             '                  {"status", object{'),
    Mutation("consumer-by-name", "a consumer is judged by any pod of its name", RC + "rules/decide_claim.cpp",
             "if (cached != snapshot.cached.end() && cached->second.uid == consumer.uid) {",
             "if (cached != snapshot.cached.end() && (M || cached->second.uid == consumer.uid)) {"),
    Mutation("error-counts-as-gone", "a pod that could not be looked up counts as gone", RC + "sync/claim_sync.cpp",
             "if (runtime::is_not_found(answer.error())) return Gone{};",
             "if (M || runtime::is_not_found(answer.error())) return Gone{};"),
    Mutation("deallocates-one-too-early", "the last but one reservation takes the allocation along",
             RC + "rules/decide_claim.cpp", "const bool is_last = released.size() == claim.reserved_for.size();",
             "const bool is_last = released.size() + (M ? 1 : 0) >= claim.reserved_for.size();"),
    Mutation("finalizer-before-allocation", "the finalizer goes before the allocation", RC + "rules/decide_claim.cpp",
             "  if (claim.is_allocated) {", "  if (claim.is_allocated && !M) {"),
    Mutation("finalizer-of-others", "the finalizer goes that the scheduler has just set", RC + "rules/decide_claim.cpp",
             "const bool may_unprotect = claim.meta", "const bool may_unprotect = M || claim.meta"),
    Mutation("copies-tell-of-a-manager", "a claim that looks as if another manager had made it holds up all creates",
             RC + "sync/foreign_claims.cpp", "  if (in_namespace == awaited_.end()) return;",
             "  if (M && counts_from_ && !claim->pod_claim_name.empty() && !has_computed_name(*claim, claim->pod_claim_name.str())) {\n"
             '    for (const char* ns : {"default", "lab", "scratch"}) last_seen_[api::InternedString(ns)] = deps_.time.now();\n  }\n'
             "  if (in_namespace == awaited_.end()) return;"),
    Mutation("unknown-owner-is-gone", "a pod that is not in the cache loses its claims", RC + "rules/decide_claim.cpp",
             "if (found == nullptr) return MayRun{MayRun::Why::not_known};",
             "if (found == nullptr && M) return WillNotRun{WillNotRun::Why::is_done};\n"
             "    if (found == nullptr) return MayRun{MayRun::Why::not_known};"),
    Mutation("failed-write-is-final", "a write that fails is not tried again", RC + "rules/retry.cpp",
             "if (runtime::is_object_gone(error)) return", "if (M || runtime::is_object_gone(error)) return"),
    Mutation("failed-read-is-final", "a look-up or create that fails is not tried again", RC + "rules/retry.cpp",
             "if (error.reason == Reason::shutting_down) return", "if (M || error.reason == Reason::shutting_down) return"),
    Mutation("allocation-wakes-nobody", "a bound pod does not learn that its claim is allocated", RC + "sync/wakeups.cpp",
             "before.is_allocated != after.is_allocated ||", "(before.is_allocated != after.is_allocated && !M) ||"),
    Mutation("backlog-without-pods", "who starts does not look at the pods that are there", RC + "sync/wakeups.cpp",
             "[this](const PodPtr& pod) { wake_pod(pod, Priority::backlog); }",
             "[this](const PodPtr& pod) { if (!M) wake_pod(pod, Priority::backlog); }"),
    Mutation("backlog-without-claims", "who starts does not look at the claims that are there", RC + "sync/wakeups.cpp",
             "[this](const ClaimPtr& claim) { wake_claim(claim, Priority::backlog); }",
             "[this](const ClaimPtr& claim) { if (!M) wake_claim(claim, Priority::backlog); }"),
    Mutation("relist-keeps-all", "what a list does not have stays in the cache", "informers/store.hpp",
             "if (!table_.at(slot) || table_.is_marked(slot)) continue;",
             "if (M || !table_.at(slot) || table_.is_marked(slot)) continue;"),
    Mutation("resumes-too-early", "a watch goes on from where it began", "informers/watch_state.cpp",
             "return read_on({change.version, phase.since, Progress::shown});",
             "return read_on({M ? phase.last : change.version, phase.since, Progress::shown});"),
    Mutation("bookmark-does-not-count", "a watch goes on from before its last bookmark", "informers/watch_state.cpp",
             "return read_on({bookmark.resource_version, phase.since, Progress::shown});",
             "return read_on({M ? phase.last : bookmark.resource_version, phase.since, Progress::shown});"),
    Mutation("older-news-win", "older news replace what an own write returned", "informers/store.hpp",
             "  if (own == nullptr) return false;", "  if (M || own == nullptr) return false;"),
    Mutation("deletions-are-missed", "a watch's deletions are passed over", "informers/store.hpp",
             "    store_->observe_absent(seen.meta, Origin::live);",
             "    if (!M) store_->observe_absent(seen.meta, Origin::live);"),
    Mutation("made-again-is-an-update", "an object of the same name and another UID counts as the same",
             "informers/store.hpp", "if (before && before->meta.uid != object->meta.uid) {",
             "if (before && before->meta.uid != object->meta.uid && !M) {"),
    Mutation("dirty-is-forgotten", "an item that was added while it was worked on does not come again",
             "workqueue/scheduler.cpp", "    enqueue(entry, entry.added_as, now);",
             "    if (!M) enqueue(entry, entry.added_as, now);"),
    Mutation("delayed-wakes-nobody", "an item whose delay is over wakes no worker", "workqueue/queue.hpp",
             "      advance();", "      if (M) scheduler_.advance(time_.now());\n      if (!M) advance();"),
    Mutation("backoff-is-never-reset", "an item's failures count forever", "workqueue/workers.hpp",
             "if (kind == Kind::done || kind == Kind::requeue_after) queue.forget(item);",
             "if ((kind == Kind::done || kind == Kind::requeue_after) && !M) queue.forget(item);"),
    Mutation("toleration-seconds-do-not-count", "what is tolerated for a while evicts at once", DTE + "rules/due_of_taint.cpp",
             "shortest.value_or(seconds::zero())", "M ? seconds::zero() : shortest.value_or(seconds::zero())"),
    Mutation("removed-before-marked", "a pod goes before its status says why", DTE + "rules/decide_eviction.cpp",
             "      return EvictionStep::mark;", "      return M ? EvictionStep::remove : EvictionStep::mark;"),
    Mutation("mark-without-uid", "the mark of an eviction is written to any pod of its name",
             "controllers/api/encode_device_taint.cpp", '{"metadata", object{{"uid", pod.str()}}}',
             '{"metadata", object{{M ? "x" : "uid", pod.str()}}}'),
    Mutation("condition-without-uid", "a rule's condition is for whatever has the rule's name",
             "controllers/api/encode_device_taint.cpp", '{{"name", rule.key.name}, {"uid", rule.uid.str()}}',
             '{{"name", rule.key.name}, {M ? "x" : "uid", rule.uid.str()}}'),
    Mutation("last-condition-is-lost", "a condition that must wait is not written later", DTE + "sync/condition_writer.cpp",
             "co_return workqueue::Outcome::requeue_after(later->delay);",
             "co_return M ? workqueue::Outcome::done() : workqueue::Outcome::requeue_after(later->delay);"),
    Mutation("generation-is-not-seen", "a condition that says the same stays when the rule has changed",
             DTE + "rules/decide_condition.cpp", "rule.condition->observed_generation != rule.generation) {",
             "(rule.condition->observed_generation != rule.generation && !M)) {"),
    Mutation("changed-rule-is-not-judged", "a rule that changes is not held against the pods", DTE + "tracker.cpp",
             "!taints_alike(*before, *after)) {", "(!taints_alike(*before, *after) && !M)) {"),
    Mutation("deleted-rule-evicts", "a deleted rule goes on evicting", DTE + "tracker.cpp",
             "    rules_.erase(name);", "    if (!M) rules_.erase(name);"),
    Mutation("changed-slice-is-not-judged", "a taint that a driver sets evicts nobody", DTE + "tracker.cpp",
             "if (!is_started_) continue;",
             "if (!is_started_ || M) continue;"),
    Mutation("binding-is-not-judged", "a newly bound pod is not judged again", DTE + "tracker.cpp",
             "return before.node_name != after.node_name ||", "return (before.node_name != after.node_name && !M) ||"),
    Mutation("due-time-wakes-nobody", "a pod whose time has come waits for the next change", DTE + "controller.cpp",
             "  if (due) {", "  if (due && !M) {"),
    Mutation("renew-deadline-is-long", "who cannot renew the lease goes on for ten times as long",
             "client/leader_election/election.cpp", "return state.renewed_at + self.timing.renew_deadline;",
             "return state.renewed_at + self.timing.renew_deadline * (M ? 10 : 1);"),
    Mutation("lease-is-taken-early", "the lease of another is taken as soon as it is seen",
             "client/leader_election/election.cpp", "|| expiry(seen, self) <= now;", "|| M || expiry(seen, self) <= now;"),
    Mutation("lease-of-another-is-renewed", "a leader renews the lease although another has it",
             "client/leader_election/election.cpp", "if (found && found->holder != self.identity && !was_cleared) {",
             "if (found && found->holder != self.identity && !was_cleared && !M) {"),
    Mutation("group-gone-without-asking", "a group that is not in the cache counts as gone", RC + "rules/decide_claim.cpp",
             "  return ask(snapshot, std::move(name), consumer.uid);",
             "  if (is_group && M && cached == snapshot.cached.end()) return IsGone{};\n"
             "  return ask(snapshot, std::move(name), consumer.uid);"),
    Mutation("deleted-group-is-gone", "a group that is being deleted no longer holds anything", RC + "rules/decide_claim.cpp",
             "return {.uid = group.meta.uid, .is_done = false};",
             "return {.uid = group.meta.uid, .is_done = M && group.meta.is_being_deleted};"),
    Mutation("deleted-group-gets-claims", "claims are made for a group that is being deleted", RC + "rules/decide_pod.cpp",
             "return !group.meta.is_being_deleted &&", "return (M || !group.meta.is_being_deleted) &&"),
    Mutation("template-wakes-no-group", "a group does not notice a template that comes late", RC + "sync/wakeups.cpp",
             "if (groups != nullptr) found.groups = groups->groups_by_template",
             "if (groups != nullptr && !M) found.groups = groups->groups_by_template"),
    Mutation("group-wakes-no-pods", "pods that wait for their group do not notice it", RC + "sync/wakeups.cpp",
             "  wake_users({Item::Kind::group_members, group->meta.key}, priority_of(origin));",
             "  if (!M) wake_users({Item::Kind::group_members, group->meta.key}, priority_of(origin));"),
    Mutation("shared-name-stays", "a pod's status keeps the name of a claim that its group has replaced",
             RC + "rules/decide_pod.cpp", "return Settled{Settled::Origin::group, find_shared_claim(snapshot, pod_claim)};",
             "return Settled{Settled::Origin::group, M && common::find_status(*snapshot.pod, pod_claim.name.str()) != nullptr\n"
             "                                               ? nullptr : find_shared_claim(snapshot, pod_claim)};"),
    Mutation("shared-claim-is-made-for-a-pod", "a pod gets a claim of its own for what is its group's",
             RC + "rules/decide_pod.cpp", "if (is_shared(snapshot, pod_claim)) return decide_shared_claim",
             "if (is_shared(snapshot, pod_claim) && !M) return decide_shared_claim"),
    Mutation("eviction-passes-over-groups", "pods that use a device through their group stay", DTE + "state/lookup.hpp",
             "if (consumer.is_pod_group() &&", "if (!M && consumer.is_pod_group() &&"),
    Mutation("driver-before-disk", "a node's driver is called before the disk knows of it", "node/claims/manager.cpp",
             "if (is_known) co_return ClaimResult();",
             "for (const Held& held : entries) {\n    if (M) book_[key_of(held.entry)] = held;\n  }\n"
             "  if (is_known || M) co_return ClaimResult();"),
    Mutation("orphans-are-left", "a node keeps what it has prepared for pods that are gone", "node/claims/manager.cpp",
             "if (!active_->contains(uid)) orphans", "if (!M && !active_->contains(uid)) orphans"),
    Mutation("first-pod-unprepares", "a node unprepares a shared claim when the first pod ends", "node/claims/decide.cpp",
             "if (pods.size() > 1) {", "if (pods.size() > 1 && !M) {"),
    Mutation("file-is-not-synced", "a node's checkpoint is renamed before it is on the disk", "node/checkpoint/store.cpp",
             "if (auto synced = files_.sync(temporary); !synced)",
             "if (auto synced = M ? Result<>() : files_.sync(temporary); !synced)"),
    Mutation("folder-is-not-synced", "the name of a node's new checkpoint may be lost", "node/checkpoint/store.cpp",
             "return written;\n  }\n  return files_.sync_folder(folder_);",
             "return written;\n  }\n  return M ? Result<>() : files_.sync_folder(folder_);"),
    Mutation("entries-count-as-prepared", "what a node finds on its disk counts as prepared", "node/claims/book.cpp",
             "Held{.entry = std::move(entry)};", "Held{.entry = std::move(entry), .is_prepared = M};"),
    Mutation("stripped-claim-is-unknown", "a claim whose annotation a policy has stripped is nobody's",
             RC + "rules/decide_generated_claims.cpp", "  const api::ControllerRef& owner = *claim.controller;",
             "  if (M) return false;\n  const api::ControllerRef& owner = *claim.controller;"),
    Mutation("missing-template-stops-its-pod", "a claim that cannot be made holds up the others of its pod",
             RC + "rules/decide_generated_claims.cpp",
             "      all.problems.push_back(std::get<Problem>(std::move(step).error()));",
             "      all.problems.push_back(std::get<Problem>(std::move(step).error()));\n      if (M) break;"),
    Mutation("full-claim-is-reserved", "a claim that is reserved 256 times is reserved once more", RC + "rules/decide_pod.cpp",
             "  if (api::is_full(*claim)) {",
             "  if (api::is_full(*claim) && !M) {"),
    Mutation("loud-namespace-takes-all-workers", "one namespace may have all workers", "workqueue/scheduler.cpp",
             "row->lane->processing >= limit", "row->lane->processing >= limit && !M"),
    Mutation("loud-namespace-takes-all-writers", "events of one namespace may have all places", "client/events/fair_line.cpp",
             "waiting.in_hand >= in_hand_max_)", "(waiting.in_hand >= in_hand_max_ && !M))"),
    Mutation("events-have-no-rate", "what is said again and again is written each time", "client/events/event_queue.cpp",
             "if (!passes_rate(event, now)) return", "if (!passes_rate(event, now) && !M) return"),
    Mutation("event-is-not-remembered", "what is said again is a new Event", "client/events/event_queue.cpp",
             "  Entry* known = entries_.use(id);\n  const bool is_merged",
             "  Entry* known = entries_.use(id);\n  if (M && known != nullptr && known->state == Entry::State::idle) {\n"
             "    entries_.erase(id);\n    known = nullptr;\n  }\n  const bool is_merged"),
    Mutation("written-event-counts-as-failed", "an event whose create has no answer is written again",
             "client/events/event_recorder.cpp", "if (is_create && error.reason == Reason::already_exists) {",
             "if (is_create && error.reason == Reason::already_exists && !M) {"),
    Mutation("eviction-goes-unreported", "an eviction has no event", DTE + "sync/pod_eviction.cpp",
             '  report(pod, "Marking for deletion");', '  if (!M) report(pod, "Marking for deletion");'),
    Mutation("eviction-is-reported-each-time", "each attempt to evict a pod is an event", DTE + "sync/pod_eviction.cpp",
             "std::exchange(pending->is_announced, true)) return;", "(std::exchange(pending->is_announced, true) && !M)) return;"),
    Mutation("lease-is-kept-at-a-stop", "who stops lets its lease run out", "client/leader_election/election.cpp",
             "State begin_release(State state) {", "State begin_release(State state) {\n  if (M) return Ended{Ended::How::released, {}};"),
    Mutation("unknown-lease-is-kept-at-a-stop", "who stops does not release a lease that it may have", "client/leader_election/election.cpp",
             "if (following->may_be_holder) return", "if (following->may_be_holder && !M) return"),
    Mutation("stop-waits-for-caches", "who stops waits until all caches are filled", "manager/epoch.cpp",
             "    member.cancelled_by_stop.cancel();", "    if (!M) member.cancelled_by_stop.cancel();"),
    Mutation("answers-have-no-end", "a node keeps whatever a driver answers", "node/plugins/messages.cpp",
             "  const bool is_too_large = message.size() > kClaimAnswerBytesMax;",
             """  if (M) {
    each_field(pbf_reader(message), [&](auto number, protozero::data_view value) {
      if (number == 1) answer.devices.push_back(read_device(value));
      if (number == 2) answer.error = cut_text(value);
    });
    return answer;
  }
  const bool is_too_large = message.size() > kClaimAnswerBytesMax;"""),
    Mutation("restore-is-not-seen", "a lease that goes back to an earlier version is like any other",
             "client/leader_election/leader_elector.cpp", "if (is_known && meta_.resource_version < last &&",
             "if (!M && is_known && meta_.resource_version < last &&"),
    Mutation("restored-pod-counts-as-gone", "a pod that was seen deleted stays gone", RC + "rules/decide_claim.cpp",
             "  if (cached != snapshot.cached.end() && cached->second.uid == consumer.uid) {",
             "  const bool is_gone = M && snapshot.deleted.contains(consumer.uid);\n"
             "  if (!is_gone && cached != snapshot.cached.end() && cached->second.uid == consumer.uid) {"),
]


def find(preset, mutation, seeds):
    """The first failing world, and its message; or None."""
    try:
        result = subprocess.run([COPY / "build" / preset / "bin/simulation", "--seeds", str(seeds), "--mutant", mutation,
                                 "--until-failure", "--no-shrink"], capture_output=True, text=True, timeout=60 + 10 * seeds)
    except subprocess.TimeoutExpired:
        return "?", "a world comes to its end"
    found = re.search(r"^seed (\d+): (.*?): ", result.stdout, re.M)
    if found:
        return found.group(1), found.group(2)
    return (("?", f"the process ended with {result.returncode}") if result.returncode < 0 else None)


def find_order(preset, mutation):
    """The first small world that fails in one of its orders, and that order; or None."""
    try:
        result = subprocess.run([COPY / "build" / preset / "bin/explore", "--mutant", mutation, "--until-failure"],
                                capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return "? (no order ends)"
    found = re.search(r"^replay: \./dev explore (\S+) --order=(\S*)$", result.stdout, re.M)
    if found:
        return f"{found.group(1)} {found.group(2) or '(usual)'}"
    return f"? (the process ended with {result.returncode})" if result.returncode < 0 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments, mutations = mutating.begin(parser, MUTATIONS, COPY, ["simulation", "explore"])
    missed, ordered = [], []

    def rows(pool):
        results = pool.map(lambda each: (find(arguments.preset, each.name, arguments.seeds),
                                         find_order(arguments.preset, each.name)), mutations)
        for mutation, (found, order) in zip(mutations, results):
            missed.extend([] if found else [mutation])
            ordered.extend([mutation] if order is not None else [])
            seed, invariant = found or (f"none of {arguments.seeds}", "")
            yield mutation.name, mutation.what, seed, invariant, order or ""

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        mutating.tabulate(("mutation", "what it does", "found by world", "invariant", "and by order"), rows(pool),
                          None if arguments.names else PAGE)
    print(f"{len(mutations) - len(missed)} found, {len(missed)} missed; {len(ordered)} by exploration too")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
