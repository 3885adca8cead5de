"""What is read from the audit log, and how latencies are counted and drawn."""
import json
import math
import unittest
import xml.etree.ElementTree as xml

import latency

OURS = "dra-controller-manager/v1"


def event(verb, resource, name=None, second=0.0, agent=OURS, code=200, subresource=None, body=None):
    reference = {"resource": resource, "namespace": "default", **({"name": name} if name else {}),
                 **({"subresource": subresource} if subresource else {})}
    answered = f"2026-11-26T05:00:{second + 0.5:09.6f}Z"
    return json.dumps({"verb": verb, "objectRef": reference, "userAgent": agent, "responseStatus": {"code": code},
                       "requestReceivedTimestamp": f"2026-11-26T05:00:{second:09.6f}Z", "stageTimestamp": answered,
                       **({"requestObject": body} if body else {})})


def claim_of(pod):
    return {"metadata": {"generateName": "x-", "ownerReferences": [{"kind": "Pod", "name": pod}]}}


def measured(lines, what, prefix=""):
    return latency.latencies(latency.moments(lines, "dra-controller-manager"), what, prefix)


class AuditLog(unittest.TestCase):
    def test_names_in_status_are_measured_from_the_accepted_pod(self):
        lines = [event("create", "pods", "p", 1, agent="bench"), event("patch", "pods", "p", 3, subresource="status")]
        self.assertEqual(measured(lines, latency.NAMED), [2.0])

    def test_claims_belong_to_their_owner(self):
        lines = [event("create", "pods", "p", 1, agent="bench"),
                 event("create", "resourceclaims", None, 2.25, body=claim_of("p"))]
        self.assertEqual(measured(lines, latency.CREATED), [1.25])

    def test_an_eviction_ends_when_the_delete_is_received(self):
        lines = [event("update", "resourceslices", "p", 1, agent="bench"), event("delete", "pods", "p", 2)]
        self.assertEqual(measured(lines, latency.EVICTED), [0.5])

    def test_refused_requests_and_those_of_others_do_not_count(self):
        lines = [event("create", "pods", "p", 1, agent="bench"),
                 event("patch", "pods", "p", 2, subresource="status", code=409),
                 event("patch", "pods", "p", 3, subresource="status", agent="kubelet"),
                 event("patch", "pods", "p", 4, subresource="status"),
                 event("patch", "pods", "p", 9, subresource="status")]
        self.assertEqual(measured(lines, latency.NAMED), [3.0])

    def test_a_request_whose_client_was_killed_counts_if_no_later_one_is_accepted(self):
        lines = [event("create", "pods", "a", 1, agent="bench"), event("create", "pods", "b", 1, agent="bench"),
                 event("patch", "pods", "a", 2, subresource="status", code=504),
                 event("patch", "pods", "b", 2, subresource="status", code=504),
                 event("patch", "pods", "b", 9, subresource="status")]
        self.assertEqual(measured(lines, latency.NAMED), [1.0, 8.0])

    def test_what_never_ends_is_the_longest(self):
        lines = [event("create", "pods", "a", 1, agent="bench"), event("create", "pods", "b", 1, agent="bench"),
                 event("patch", "pods", "b", 2, subresource="status")]
        self.assertEqual(measured(lines, latency.NAMED), [1.0, math.inf])

    def test_only_pods_of_the_scene_count(self):
        lines = [event("create", "pods", "base-1", 1, agent="bench"), event("create", "pods", "steady-1", 1, agent="bench"),
                 event("patch", "pods", "steady-1", 2, subresource="status")]
        self.assertEqual(measured(lines, latency.NAMED, "steady-"), [1.0])


class Percentiles(unittest.TestCase):
    def test_are_latencies_that_were_measured(self):
        values = [float(value) for value in range(1, 1001)]
        self.assertEqual([latency.percentile(values, share) for share in (0, 50, 99, 99.9, 100)], [1, 500, 990, 999, 1000])
        self.assertEqual(latency.percentile([7.0], 99.9), 7.0)


class Shown(unittest.TestCase):
    ROWS = [("10 pods a second", latency.NAMED, "ours", [0.01, 0.02]), ("10 pods a second", latency.NAMED, "reference", [0.1, math.inf])]

    def test_table_says_what_never_happened(self):
        lines = list(latency.table(self.ROWS))
        self.assertIn("| dra-controller-manager | 2 | 10 ms | 20 ms |", lines[2])
        self.assertTrue(lines[3].endswith("| 100 ms | never | never | never |"), lines[3])

    def test_picture_is_drawn_within_its_borders(self):
        svg = xml.fromstring(latency.picture(self.ROWS))
        dots = [float(dot.get("cx")) for dot in svg.iter("{http://www.w3.org/2000/svg}circle")]
        self.assertEqual(len(dots), 2 * 4 + 2)
        self.assertTrue(all(0 < dot < latency.WIDTH for dot in dots), dots)


if __name__ == "__main__":
    unittest.main()
