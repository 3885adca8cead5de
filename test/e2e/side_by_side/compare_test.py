"""Shows that the comparison can fail, what it tolerates, and that each known difference has its row."""
import json
import pathlib
import unittest

from differences import Difference, Known, differences, explained, unneeded
from known import KNOWN
from tracks import count_calls, tracks_of

UID = {"p": "11111111-0000-4000-8000-000000000000", "c": "22222222-0000-4000-8000-000000000000",
       "next": "33333333-0000-4000-8000-000000000000"}
README = pathlib.Path(__file__).resolve().parents[3] / "node/README.md"


def pod(kind="MODIFIED", calls="", uid="p", deleted=False, **status):
    metadata = {"name": "p", "uid": UID[uid], "generation": 1, **({"deletionTimestamp": "now"} if deleted else {})}
    status = {"observedGeneration": 1, **status}
    return {"type": kind, "calls": calls, "object": {"metadata": metadata, "status": status}}


def claim(name="p-gpu-x7k2p"):
    return {"type": "ADDED", "object": {"metadata": {
        "name": name, "uid": UID["c"], "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu"},
        "ownerReferences": [{"name": "p"}]}}}


def container(**more):
    return {"name": "main", "restartCount": 0, "ready": False, **more}


def event(reason="FailedPrepareDynamicResources", message="for ResourceClaim p-gpu-x7k2p", **more):
    return {"type": "Warning", "reason": reason, "message": message, "source": {"component": "kubelet"},
            "involvedObject": {"uid": UID["p"]}, **more}


def checkpoint(namespace="n", devices=({"PoolName": "node-0", "DeviceName": "dev-0", "RequestNames": ["gpu"],
                                        "CDIDeviceIDs": ["d/gpu=dev-0"]},)):
    entry = {"Namespace": namespace, "ClaimName": "p-gpu-x7k2p", "ClaimUID": UID["c"], "PodUIDs": {UID["p"]: {}},
             "DriverState": {"d": {"Devices": list(devices)}}}
    return json.dumps({"Data": json.dumps({"ClaimInfoStateList": [entry]}), "Checksum": 0})


def found(*pods, claims=(), events=(), journals=None, checkpoints=()):
    return tracks_of({"namespace": "n", "pods": list(pods), "claims": list(claims), "events": list(events),
                      "journals": journals or {}, "checkpoints": list(checkpoints)})


class Tracks(unittest.TestCase):
    def test_a_track_has_each_state_once(self):
        pods = [pod("ADDED"), pod(phase="Pending"), pod(phase="Pending"), pod(phase="Running"),
                pod(phase="Running", deleted=True), pod("DELETED", phase="Failed", deleted=True)]
        self.assertEqual(found(*pods)["pod p, phase"],
                         ["none", "Pending", "Running", "Running deleted", "Failed deleted", "gone"])

    def test_changes_in_one_write_or_in_two_are_the_same(self):
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        self.assertEqual(found(pod(phase="Running", **ready)), found(pod(phase="Running", **ready), pod(
            phase="Running", **ready)))

    def test_a_condition_has_its_reason_and_message_and_may_go(self):
        pods = [pod(conditions=[{"type": "Ready", "status": "False", "reason": "R", "message": "m", "x": 1}]), pod()]
        self.assertEqual(found(*pods)["pod p, is Ready"], ["False: R: m", "absent"])

    def test_states_of_containers(self):
        for state, said in (({"running": {"startedAt": "then"}}, "running"),
                            ({"waiting": {"reason": "R", "message": "m"}}, "waiting R: m"),
                            ({"terminated": {"exitCode": 137, "reason": "Error", "signal": 9}},
                             "terminated 137 Error signal 9")):
            track = found(pod(containerStatuses=[container(state=state)]))
            self.assertEqual(track["pod p, container main"], [said])

    def test_flags_restarts_and_last_states_of_containers(self):
        track = found(pod(containerStatuses=[container()]), pod(initContainerStatuses=[container(
            ready=True, started=True, restartCount=2, lastState={"terminated": {"exitCode": 1, "reason": "Error"}})]))
        self.assertEqual(track["pod p, container main, flags"], ["none", "ready started"])
        self.assertEqual(track["pod p, container main, restarts"], ["0", "2"])
        self.assertEqual(track["pod p, container main, last state"], ["terminated 1 Error"])

    def test_health_of_devices(self):
        rows = [{"name": "claim:gpu", "resources": [
            {"resourceID": "d/gpu=0", "health": "Unhealthy", "message": "ECC"}]}]
        track = found(pod(containerStatuses=[container(allocatedResourcesStatus=rows)]))
        self.assertEqual(track["pod p, container main, devices"], ["claim:gpu: d/gpu=0 Unhealthy ECC"])

    def test_ids_and_times_do_not_count_but_their_fields_do(self):
        one = found(pod(startTime="1", containerStatuses=[container(containerID="a", imageID="b")]))
        self.assertEqual(one, found(pod(startTime="2", containerStatuses=[container(containerID="c", imageID="d")])))
        self.assertNotEqual(one, found(pod(containerStatuses=[container(containerID="a")])))

    def test_generated_names_and_uids_are_words(self):
        status = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "p-gpu-x7k2p"}],
                  "message": f"pod {UID['p']}"}
        track = found(pod(**status), claims=[claim()])
        self.assertEqual(track["pod p, claims"], ["gpu <p/gpu>"])
        self.assertEqual(track["pod p, reason"], ["pod <uid of p>"])

    def test_the_next_pod_of_a_name_is_another_one(self):
        self.assertEqual(sorted(name for name in found(pod(phase="Pending"), pod(uid="next", phase="Running"))
                                if "phase" in name), ["pod p', phase", "pod p, phase"])

    def test_calls_are_in_order_and_each_counts(self):
        log = f"I1126 a log line\nprepare {UID['c']}\nstatus true \nprepare {UID['c']}\nunprepare {UID['c']} X\n"
        self.assertEqual(found(claims=[claim()], journals={"d": log})["calls of d"], [
            "prepare p/gpu", "prepare p/gpu", "unprepare p/gpu X"])
        self.assertEqual(count_calls([log, "prepare x\n"]), "3 prepare, 1 unprepare")

    def test_three_calls_stand_for_more(self):
        track = found(claims=[claim()], journals={"d": f"unprepare {UID['c']}\n" * 9})
        self.assertEqual(track["calls of d"], ["unprepare p/gpu"] * 3)
        self.assertEqual(found(pod(phase="Failed", calls="1 prepare, 9 unprepare"))["pod p, calls by then"], [
            "Failed: 1 prepare, 3 or more unprepare"])

    def test_calls_before_a_state_are_part_of_it(self):
        track = found(pod(phase="Pending", calls="many"), pod(phase="Running", calls="one"), pod(phase="Running"))
        self.assertEqual(track["pod p, calls by then"], ["Running: one"])

    def test_events_of_kubelet_count_with_their_messages_about_devices(self):
        track = found(pod(), claims=[claim()], events=[
            event(count=3), event("Started", "It started"), event("Scheduled", source={"component": "other"})])
        self.assertEqual(track["events of p"], [
            "Warning FailedPrepareDynamicResources: for ResourceClaim <p/gpu> (repeated)", "Warning Started: … (once)"])

    def test_checkpoints_have_the_claims_of_the_scene(self):
        track = found(pod(), claims=[claim()], checkpoints=[
            ["now", checkpoint()], ["empty", ""], ["other", checkpoint("other")]])
        self.assertEqual(track["checkpoint now"], ["p/gpu for p, d: node-0/dev-0 gpu d/gpu=dev-0"])
        self.assertEqual((track["checkpoint empty"], track["checkpoint other"]), ([], []))
        track = found(pod(), claims=[claim()], checkpoints=[["now", checkpoint(devices=())]])
        self.assertEqual(track["checkpoint now"], ["p/gpu for p, d: no devices"])


class Differences(unittest.TestCase):
    def test_equal_tracks_have_none(self):
        self.assertEqual(differences("s", {"a": ["x", "y"]}, {"a": ["x", "y"]}), [])

    def test_each_place_is_one(self):
        self.assertEqual(differences("s", {"a": ["1", "x", "2"]}, {"a": ["x", "3"]}), [
            Difference("s", "a", ("1",), (), "first"), Difference("s", "a", ("2",), ("3",), "last")])
        self.assertEqual([each.place for each in differences("s", {"a": ["x", "1", "y"]}, {"a": ["x", "y"]})], [
            "between"])

    def test_of_a_set_each_element_is_one_and_order_does_not_count(self):
        real, hollow = {"events of p": ["x", "y", "z"]}, {"events of p": ["z", "v"]}
        self.assertEqual(differences("s", real, hollow), [
            Difference("s", "events of p", *pair) for pair in ((("x",), ()), (("y",), ()), ((), ("v",)))])
        self.assertEqual(differences("s", {"events of p": ["x", "y"]}, {"events of p": ["y", "x"]}), [])

    def test_order_and_number_count(self):
        for other in (["y", "x"], ["x", "y", "y"], []):
            self.assertTrue(differences("s", {"a": ["x", "y"]}, {"a": other}), other)

    def test_a_track_that_one_lacks_is_one(self):
        self.assertEqual(differences("s", {"a": ["x"]}, {}), [Difference("s", "a", ("x",), ())])
        self.assertEqual(differences("s", {}, {"a": []}), [Difference("s", "a", (), ("there",))])


class Explained(unittest.TestCase):
    DIFFERENCE = Difference("s", "pod p, phase", ("Pending", "Running"), ())

    def test_patterns_match_the_whole(self):
        for known, is_known in ((Known("k", "pod ., phase", "Pending → Running", ""), True),
                                (Known("k", "pod ., phase", "Pending", ""), False),
                                (Known("k", "phase", ".*", ""), False), (Known("k", ".*", ".*", "x"), False),
                                (Known("k", ".*", scenes="other"), False), (Known("k", ".*", place="last"), False),
                                (Known("k", ".*"), True)):
            used, unknown = explained([self.DIFFERENCE], [known])
            self.assertEqual((len(used), len(unknown)), (1, 0) if is_known else (0, 1), known)

    def test_a_known_difference_must_occur_unless_it_occurs_at_times(self):
        always, at_times = Known("k", "x"), Known("l", "x", at_times=True)
        self.assertEqual(unneeded({}, [always, at_times]), [always])
        self.assertEqual(unneeded({always: 1}, [always, at_times]), [])


class KnownDifferences(unittest.TestCase):
    def test_each_has_a_row_in_the_page_and_each_row_is_one(self):
        section = README.read_text().partition("### Side by side")[2].partition("\n#")[0]
        rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")][2:]
        self.assertEqual(sorted(set(rows)), sorted({each.name for each in KNOWN}))
        self.assertEqual(len(rows), len(set(rows)))


if __name__ == "__main__":
    unittest.main()
