"""Tests of the comparison itself, without a server: python3 -m unittest compare_test"""
import copy
import json
import random
import unittest

import compare
from definition_draws import draw_definition, draw_objects
from definitions import comparable
from differences import Difference, differences, explanation, split
from draws import APPLY, JSON_PATCH, MERGE, STRATEGIC
from explained import Shape, rows
from generator import sequence
from json_patches import pointers
from normalise import normalise
from replay import labels_for, merged, replay
from report import report
from shrink import shrink
from wrong_types import with_mistake


def pod(version, **metadata):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "a", "resourceVersion": version, **metadata}}


def steps_of(*methods):
    return [{"id": number, "method": method, "kind": "pods", "version": "v1", "namespace": "@c@",
             "name": "", "sub": "", "query": {}, "type": "", "body": None}
            for number, method in enumerate(methods, 1)]


def entry(step, body, status=200, **more):
    return {"step": step, "status": status, "body": body, **more}


class Generator(unittest.TestCase):
    def test_a_seed_gives_the_same_steps_every_time(self):
        for seed in range(20):
            self.assertEqual(sequence(seed), sequence(seed))
        self.assertNotEqual(sequence(1), sequence(2))

    def test_steps_refer_to_earlier_ones_only(self):
        def references(value):
            if isinstance(value, dict):
                if "$ref" in value:
                    yield value["$ref"][0]
                for item in value.values():
                    yield from references(item)
            elif isinstance(value, list):
                for item in value:
                    yield from references(item)

        for seed in range(50):
            for step in sequence(seed):
                self.assertTrue(all(other < step["id"] for other in references(step)))

    def test_generates_all_verbs_and_kinds(self):
        steps = [step for seed in range(150) for step in sequence(seed)]
        self.assertEqual({"POST", "PUT", "PATCH", "DELETE", "GET"}, {s["method"] for s in steps})
        self.assertLessEqual({"pods", "resourceclaims", "events"}, {s["kind"] for s in steps})
        self.assertLessEqual({"", "status", "binding", "eviction"}, {s["sub"] for s in steps})
        self.assertTrue(any(step.get("watch") for step in steps))

    def test_generates_patches_of_all_types_and_operations(self):
        patches = [step for seed in range(150) for step in sequence(seed)
                   if step["method"] == "PATCH"]
        self.assertLessEqual({JSON_PATCH, MERGE, STRATEGIC, APPLY}, {s["type"] for s in patches})
        operations = [operation for s in patches if s["type"] == JSON_PATCH
                      and isinstance(s["body"], list) for operation in s["body"]]
        self.assertLessEqual({"add", "replace", "remove", "move", "copy", "test"},
                             {o.get("op") for o in operations if isinstance(o, dict)
                              and isinstance(o.get("op"), str)})


class Definitions(unittest.TestCase):
    def draw(self, seed):
        draw = random.Random(seed)
        definition = draw_definition(draw, "round.example.com", 1)
        return definition, list(draw_objects(draw, definition))

    def test_a_seed_gives_the_same_definition_and_objects(self):
        self.assertEqual(self.draw(7), self.draw(7))
        self.assertNotEqual(self.draw(7), self.draw(8))

    def test_ignores_order_of_causes_and_texts_of_go_values(self):
        one, other = {"causes": [{"field": "a"}, {"field": "b"}]}, {"causes": [{"field": "b"}, {"field": "a"}]}
        self.assertEqual(comparable(one), comparable(other))
        self.assertEqual(comparable(".spec.x: expected list, got map"),
                         comparable(".spec.x: expected list, got &{map[x:1]}"))
        self.assertNotEqual(comparable("expected list"), comparable("expected map"))


class Mistakes(unittest.TestCase):
    def bodies(self):
        good = {"metadata": {"name": "a", "labels": {"app": "x"}}, "spec": {"count": ["one", {"b": "c"}]}}
        return good, [with_mistake(random.Random(seed), good) for seed in range(300)]

    def test_keeps_single_one_and_names_of_the_object(self):
        good, bodies = self.bodies()
        for body in bodies:
            self.assertNotEqual(good, body)
            self.assertEqual("a", body["metadata"]["name"])

    def test_generates_wrong_types_and_unknown_fields(self):
        _, bodies = self.bodies()
        texts = [json.dumps(body) for body in bodies]
        self.assertTrue(any("onsense" in text for text in texts))
        self.assertTrue(any(not isinstance(body["spec"], dict) for body in bodies))
        self.assertTrue(any(not isinstance(body["metadata"]["labels"], dict) for body in bodies))

    def test_places_of_a_value_are_json_pointers(self):
        self.assertEqual([("/a~1b", [{"c": 1}]), ("/a~1b/0", {"c": 1}), ("/a~1b/0/c", 1)],
                         list(pointers({"a/b": [{"c": 1}]})))


class Normaliser(unittest.TestCase):
    def normalised(self, *entries, methods=("POST", "GET", "GET")):
        return normalise(list(entries), "place-1", steps_of(*methods)[:len(entries)])

    def test_numbers_uids_in_order_of_appearance(self):
        one, two = "6a03f2d3-fb7b-4c6a-8b18-a9eaaa9a782d", "8ed949ca-c5c5-452c-93e9-7098c7f900f9"
        seen = self.normalised(entry(1, pod("5", uid=one)), entry(2, pod("6", uid=two)),
                               entry(3, pod("6", uid=one)))
        self.assertEqual(["<uid 1>", "<uid 2>", "<uid 1>"],
                         [e["body"]["metadata"]["uid"] for e in seen])

    def test_keeps_uids_invented_by_the_client(self):
        made_up = "00000000-0000-4000-8000-000000000001"
        self.assertEqual(made_up, self.normalised(entry(1, pod("5", uid=made_up)))[0]["body"]
                         ["metadata"]["uid"])

    def test_keeps_only_warnings_about_fields(self):
        about = '299 - "unknown field \\"spec.x\\""'
        seen = self.normalised(entry(1, pod("5"), warnings=["299 - \"old\"", about]),
                               entry(2, pod("5"), warnings=[]))
        self.assertEqual([about], seen[0]["warnings"])
        self.assertNotIn("warnings", seen[1])

    def test_versions_are_compared_by_their_order(self):
        for versions in (["9", "100", "9"], ["7", "8", "7"]):
            seen = self.normalised(*[entry(n, pod(v)) for n, v in enumerate(versions, 1)])
            self.assertEqual(["<version 1>", "<version 2>", "<version 1>"],
                             [e["body"]["metadata"]["resourceVersion"] for e in seen])

    def test_list_has_the_version_of_the_last_change(self):
        for version in ("100", "105"):
            items = {"kind": "PodList", "metadata": {"resourceVersion": version}, "items": []}
            seen = self.normalised(entry(1, pod("100")), entry(2, items))
            self.assertEqual("<from version 1>", seen[1]["body"]["metadata"]["resourceVersion"])

    def test_only_times_of_the_server_are_hidden(self):
        seen = self.normalised(entry(1, pod("1", creationTimestamp="2026-11-21T17:00:00Z",
                                            annotations={"t": "2019-05-04T03:02:01Z"})))
        metadata = seen[0]["body"]["metadata"]
        self.assertEqual("<time>", metadata["creationTimestamp"])
        self.assertEqual("2019-05-04T03:02:01Z", metadata["annotations"]["t"])

    def test_replaces_generated_names_and_places_by_symbols(self):
        body = pod("1", generateName="g1-", namespace="place-1")
        body["metadata"]["name"] = "g1-x7k2p"
        metadata = self.normalised(entry(1, body, 201))[0]["body"]["metadata"]
        self.assertEqual(("g1-<made>", "@c@"), (metadata["name"], metadata["namespace"]))

    def test_causes_are_kept_and_messages_are_not(self):
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid",
                  "message": "words", "code": 422, "details": {"name": "a", "causes": [
                      {"field": "spec.b", "reason": "FieldValueInvalid", "message": "words"},
                      {"field": "spec.a", "reason": "FieldValueRequired", "message": "words"}]}}
        body = self.normalised(entry(1, status, 422))[0]["body"]
        self.assertEqual(["spec.a: FieldValueRequired", "spec.b: FieldValueInvalid"],
                         body["causes"])
        self.assertNotIn("words", json.dumps(body))

    def test_keeps_applied_fields_of_managers(self):
        owner = {"manager": "alice", "apiVersion": "v1",
                 "fieldsV1": {"f:metadata": {"f:labels": {"f:a": {}}}}}
        body = pod("1", managedFields=[dict(owner, operation="Apply"),
                                       dict(owner, operation="Update", manager="bob")])
        managers = self.normalised(entry(1, body))[0]["body"]["metadata"]["managedFields"]
        self.assertEqual({"Apply alice v1": {"metadata.labels.a": "owned"}, "Update bob v1": {}},
                         managers)

    def test_bookmarks_count_only_at_the_end_of_initial_events(self):
        events = [{"type": "BOOKMARK", "object": pod("5")},
                  {"type": "BOOKMARK", "object": pod("6", annotations={
                      "k8s.io/initial-events-end": "true"})}]
        seen = self.normalised(entry(1, "", events=events))[0]["events"]
        self.assertEqual(1, len(seen))


class Differences(unittest.TestCase):
    def test_each_field_that_differs_is_named(self):
        ours = [entry(1, {"spec": {"a": 1, "b": [1, 2]}})]
        theirs = [entry(1, {"spec": {"a": 1, "b": [1, 3], "c": None}}, 201)]
        self.assertEqual(
            {("status",), ("body", "spec", "b", 1), ("body", "spec", "c")},
            {difference.path for difference in differences(ours, theirs)})

    def test_false_is_not_zero_and_null_is_not_missing(self):
        self.assertEqual(2, len(differences([entry(1, {"a": False})],
                                            [entry(1, {"a": 0, "b": None})])))

    def test_list_of_different_length_differs_as_a_whole(self):
        found = differences([entry(1, {"a": [1]})], [entry(1, {"a": [1, 2]})])
        self.assertEqual([("body", "a")], [difference.path for difference in found])

    def test_explanation_applies_only_to_its_kinds_place_and_shape(self):
        table = rows(("Pod",), Shape.ONLY_REAL, "why", "spec/containers/*/probe", "status/**")
        step = steps_of("GET")[0]
        for path, memory, real, explained in [
                (("body", "spec", "containers", 0, "probe"), "–", 1, True),
                (("body", "items", 3, "spec", "containers", 0, "probe"), "–", 1, True),
                (("events", 2, "object", "status", "a", "b"), "–", 1, True),
                (("body", "spec", "containers", 0, "probe"), 1, "–", False),
                (("body", "spec", "containers", 0, "probe"), 1, 2, False),
                (("body", "spec", "containers", 0, "probe", "x"), "–", 1, False),
                (("body", "spec", "other"), "–", 1, False)]:
            found = explanation(Difference(1, path, memory, real), step, table)
            self.assertEqual(explained, found is not None, path)
            self.assertIsNone(explanation(Difference(1, path, memory, real),
                                          dict(step, kind="nodes"), table))

    def test_reports_differences_missing_in_the_table(self):
        found = [Difference(1, ("status",), 200, 422)]
        self.assertEqual((found, {}), split(found, steps_of("GET")))


class Shrinker(unittest.TestCase):
    def test_finds_the_relevant_steps(self):
        runs = []

        def differs(steps):
            runs.append(len(steps))
            return 7 in steps and 31 in steps

        self.assertEqual([7, 31], shrink(list(range(1, 41)), differs))
        self.assertLess(len(runs), 60)

    def test_keeps_text_that_cannot_be_shortened(self):
        self.assertEqual([1, 2, 3], shrink([1, 2, 3], lambda steps: steps == [1, 2, 3]))
        self.assertEqual([1], shrink([1], lambda steps: True))


class FakeServer:
    """Keeps objects by path; `twist` is the deliberate mistake."""

    def __init__(self, name, twist=None):
        self.name = name
        self.twist = twist

    def connect(self):
        return FakeConnection(self)


class FakeConnection:
    def __init__(self, server):
        self.server = server
        self.objects = {}
        self.version = 0
        self.warnings = []

    def request(self, method, target, _content_type="", body=None):
        path = target.partition("?")[0]
        status, answer = self.answer(method, path, json.loads(body) if body else None)
        if self.server.twist:
            status, answer = self.server.twist(method, status, copy.deepcopy(answer))
        return status, json.dumps(answer)

    def answer(self, method, path, body):
        if method == "POST":
            path = f"{path}/{body['metadata']['name']}"
            body = {**body, "metadata": {**body["metadata"], "resourceVersion": self.next()}}
            self.objects[path] = body
            return 201, body
        if path not in self.objects:
            return 404, {"kind": "Status", "apiVersion": "v1", "reason": "NotFound", "code": 404}
        if method == "DELETE":
            return 200, self.objects.pop(path)
        return 200, self.objects[path]

    def next(self):
        self.version += 1
        return str(self.version)


def forgets_labels_of_deleted(method, status, answer):
    if method == "DELETE" and status == 200:
        answer["metadata"].pop("labels", None)
    return status, answer


class WholeComparison(unittest.TestCase):
    def setUp(self):
        self.steps = []
        for number, (method, name) in enumerate(
                [("POST", "a"), ("GET", "a"), ("POST", "b"), ("GET", "c"), ("DELETE", "b"),
                 ("GET", "b"), ("POST", "c")], 1):
            step = dict(steps_of(method)[0], id=number, name="" if method == "POST" else name)
            if method == "POST":
                step["body"] = {"metadata": {"name": name, "labels": {"app": "x"}}}
            self.steps.append(step)

    def test_finds_no_difference_between_equal_servers(self):
        verdict = compare.Comparison(FakeServer("memory"), FakeServer("real")).judge(1, self.steps)
        self.assertEqual("", verdict.text)

    def test_finds_planted_difference_and_reduces_it_to_its_steps(self):
        twisted = FakeServer("memory", forgets_labels_of_deleted)
        verdict = compare.Comparison(twisted, FakeServer("real")).judge(1, self.steps)
        self.assertIn("--steps 3,5\n", verdict.text)
        self.assertIn("body/metadata/labels", verdict.text)

    def test_ignores_difference_that_is_not_reproducible(self):
        twists = iter([forgets_labels_of_deleted])

        def once(method, status, answer):
            twist = next(twists, None) if method == "DELETE" else None
            return twist(method, status, answer) if twist else (status, answer)

        comparison = compare.Comparison(FakeServer("memory", once), FakeServer("real"))
        verdict = comparison.judge(1, self.steps)
        self.assertEqual(("", True), (verdict.text, verdict.passing))

    def test_reports_intermittent_difference(self):
        deletes = iter(range(1000))

        def each_second_time(method, status, answer):
            is_twisted = method == "DELETE" and next(deletes) % 2 == 0
            return forgets_labels_of_deleted(method, status, answer) if is_twisted else (status, answer)

        comparison = compare.Comparison(FakeServer("memory", each_second_time), FakeServer("real"))
        self.assertIn("body/metadata/labels", comparison.judge(1, self.steps).text)


class Replay(unittest.TestCase):
    def test_references_are_filled_in_from_answers_of_the_same_server(self):
        steps = steps_of("POST", "GET")
        steps[0]["body"] = {"metadata": {"name": "a"}}
        steps[1]["name"] = {"$ref": [1, "metadata/name"], "else": "nothing"}
        transcript = replay(FakeServer("real").connect(), steps, "place-1")
        self.assertEqual("a", transcript[1]["body"]["metadata"]["name"])
        transcript = replay(FakeServer("real").connect(), steps[1:], "place-1")
        self.assertEqual(404, transcript[0]["status"])

    def test_merges_change_into_read_state(self):
        self.assertEqual({"a": {"c": 2}, "d": 3}, merged({"a": {"b": 1, "c": 2}},
                                                         {"a": {"b": None}, "d": 3}))

    def test_markers_have_labels_matching_the_selector(self):
        for selector, labels in [("app=x", {"app": "x"}), ("app in (x,y)", {"app": "x"}),
                                 ("app!=x", {}), ("!tier", {}), ("tier", {"tier": "1"}),
                                 ("run=r,app==y", {"run": "r", "app": "y"})]:
            self.assertEqual(labels, labels_for({"labelSelector": selector}), selector)


class Report(unittest.TestCase):
    def test_shows_steps_fields_and_the_command(self):
        steps = steps_of("POST", "GET")
        text = report(9, steps, [entry(1, {}, 201), entry(2, {"a": 1})],
                      [entry(1, {}, 201), entry(2, {"a": 2})],
                      [Difference(2, ("body", "a"), 1, 2)])
        self.assertIn("step 2  body/a", text)
        self.assertIn("./dev compare --first 9 --seeds 1 --steps 1,2", text)


if __name__ == "__main__":
    unittest.main()
