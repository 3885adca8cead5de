"""From the recording of a scene to what two nodes must agree on: a track for each thing that changes.

A track is what one field was, in order, without repetitions: `pod p, Ready` was False, True, False. So two nodes agree
although one puts two changes into one write. Times, addresses and images go; UIDs and generated names become words."""
import itertools
import json
import re

POD_CLAIM = "resource.kubernetes.io/pod-claim-name"
EXTENDED = "resource.kubernetes.io/extended-resource-claim"
ABOUT_DEVICES = re.compile(r"[Dd]ynamic ?[Rr]esource|ResourceClaim|CDI|DRA", re.A)
CALL = re.compile(r"^(prepare|unprepare) (\S+)(.*)$", re.M)
MANY = re.compile(r"\b([3-9]|\d\d+)\b")
SETTLED = ("Running", "Succeeded", "Failed")
ABSENT = "absent"


def is_set(track):
    """Whether its values have no order."""
    return track.startswith(("events of ", "checkpoint ")) or track.endswith(", fields")


def tracks_of(recording):
    """→ {track: [what it was, …]}"""
    names = Names(recording["claims"] + recording["pods"])
    tracks = Tracks(names)
    for seen in recording["pods"]:
        add_pod(tracks, seen, names)
    for driver, text in recording["journals"].items():
        tracks.add_all(f"calls of {driver}", few(call_of(*found, names) for found in CALL.findall(text)))
    add_events(tracks, recording["events"])
    for moment, text in recording["checkpoints"]:
        tracks.add_all(f"checkpoint {moment}", sorted(entries_of(text, recording["namespace"], names)))
    return tracks.found


class Names:
    """Words for UIDs and generated names: p, a pod; p/gpu, the claim of p for its entry gpu; p', the next p."""

    def __init__(self, watched):
        self.by_uid, self.generated = {}, {}
        for seen in watched:
            self.observe(seen["object"])

    def observe(self, thing):
        metadata = thing["metadata"]
        if metadata["uid"] in self.by_uid:
            return
        annotations = metadata.get("annotations", {})
        entry = annotations.get(POD_CLAIM, "extended" if EXTENDED in annotations else None)
        owner = next(iter(metadata.get("ownerReferences", ())), {}).get("name", "?")
        word = metadata["name"] if entry is None else f"{owner}/{entry}"
        while word in self.by_uid.values():
            word += "'"
        self.by_uid[metadata["uid"]] = word
        if entry is not None:
            self.generated[metadata["name"]] = word

    def word_for(self, uid):
        return self.by_uid.get(uid, "somebody unknown")

    def in_words(self, text):
        for uid, word in self.by_uid.items():
            text = text.replace(uid, f"<uid of {word}>")
        for name, word in self.generated.items():
            text = text.replace(name, f"<{word}>")
        return text


class Tracks:
    def __init__(self, names):
        self.found = {}
        self.names = names

    def add(self, track, value):
        """What the field is now. A field that was never there has no track."""
        values = self.found.get(track, [])
        value = self.names.in_words(value)
        if value == ABSENT and not values:
            return
        if not values or values[-1] != value:
            self.found[track] = [*values, value]

    def add_to_set(self, track, values):
        """All that were ever there, sorted."""
        self.found[track] = sorted({*self.found.get(track, []), *values})

    def add_all(self, track, values):
        """Each counts, also repeated ones; the track is there even if it is empty."""
        self.found.setdefault(track, []).extend(self.names.in_words(value) for value in values)


# ---- pods

def add_pod(tracks, seen, names):
    thing = seen["object"]
    name = f"pod {names.word_for(thing['metadata']['uid'])}"
    status = thing.get("status", {})
    before = tracks.found.get(f"{name}, phase", [None])[-1]
    phase = status.get("phase", "none") + (" deleted" if "deletionTimestamp" in thing["metadata"] else "")
    tracks.add(f"{name}, phase", phase)
    tracks.add(f"{name}, reason", words(status.get("reason"), status.get("message")) or ABSENT)
    add_conditions(tracks, name, status.get("conditions", ()))
    for list_name in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for container in status.get(list_name) or ():
            add_container(tracks, f"{name}, container {container['name']}", container)
    tracks.add_to_set(f"{name}, fields", fields_of(status))
    tracks.add(f"{name}, claims", claims_in(status) or ABSENT)
    if seen["type"] == "DELETED":
        tracks.add(f"{name}, phase", phase := "gone")
    if phase != before and phase.startswith(SETTLED) and phase != "Running deleted":
        tracks.add_all(f"{name}, calls by then", [f"{phase}: {MANY.sub('3 or more', seen['calls'])}"])


def fields_of(thing):
    """That have a value; what it is counts only where there is a track for it."""
    return [key for key, value in thing.items() if value not in ("", None, [], {})]


def words(*parts):
    return ": ".join(str(part) for part in parts if part)


def add_conditions(tracks, name, conditions):
    found = {each["type"]: each for each in conditions}
    known = {track.removeprefix(f"{name}, is ") for track in tracks.found if track.startswith(f"{name}, is ")}
    for kind in sorted(known | set(found)):
        each = found.get(kind)
        if kind == "PodScheduled" and each and each["status"] == "False":
            continue  # what the scheduler has said before
        tracks.add(f"{name}, is {kind}", ABSENT if each is None else words(
            each["status"], each.get("reason"), each.get("message")))


def state_of(state):
    if not state:
        return ABSENT
    (kind, details), = state.items()
    if kind == "running":
        return kind
    said = words(details.get("reason"), details.get("message"))
    if kind == "terminated":
        said = f"{details['exitCode']} {said}" + (f" signal {details['signal']}" if details.get("signal") else "")
    return f"{kind} {said}"


def add_container(tracks, name, container):
    tracks.add(name, state_of(container.get("state")))
    tracks.add(f"{name}, last state", state_of(container.get("lastState")))
    tracks.add(f"{name}, flags", " ".join(flag for flag in ("ready", "started") if container.get(flag)) or "none")
    tracks.add(f"{name}, restarts", str(container["restartCount"]))
    tracks.add(f"{name}, devices", "; ".join(
        sorted(map(health_in, container.get("allocatedResourcesStatus", ())))) or ABSENT)
    tracks.add_to_set(f"{name}, fields", fields_of(container))


def health_in(row):
    devices = ", ".join(" ".join(map(str, filter(None, (each["resourceID"], each.get("health"), each.get("message")))))
                        for each in row["resources"])
    return f"{row['name']}: {devices}"


def claims_in(status):
    rows = [f"{each['name']} {each.get('resourceClaimName', 'needs none')}"
            for each in status.get("resourceClaimStatuses") or ()]
    extended = status.get("extendedResourceClaimStatus")
    return ", ".join(sorted(rows) + ([f"extended {extended['resourceClaimName']}"] if extended else []))


# ---- calls, events, checkpoint

def call_of(what, uid, more, names):
    return f"{what} {names.word_for(uid)}{more}"


def few(calls):
    """How often a node tries again is up to the time: three calls in a row stand for more."""
    return [call for _, equal in itertools.groupby(calls) for call in itertools.islice(equal, 3)]


def count_calls(journals):
    """For a pod's state: how many calls there have been, so that devices go before the state says so."""
    found = [call for text in journals for call, _, _ in CALL.findall(text)]
    return f"{found.count('prepare')} prepare, {found.count('unprepare')} unprepare"


def add_events(tracks, events):
    rows = {}
    for event in events:
        if "kubelet" not in (event.get("source", {}).get("component"), event.get("reportingComponent")):
            continue
        about = tracks.names.word_for(event["involvedObject"].get("uid"))
        message = event["message"] if ABOUT_DEVICES.search(event["message"]) else "…"
        key = (about, f"{event['type']} {event['reason']}: {message}")
        rows[key] = rows.get(key, 0) + event.get("count", 1)
    for (about, said), count in sorted(rows.items()):
        tracks.add_all(f"events of {about}", [f"{said} ({'once' if count == 1 else 'repeated'})"])


def entries_of(text, namespace, names):
    data = json.loads(json.loads(text)["Data"]) if text else {}
    for entry in data.get("ClaimInfoStateList") or ():
        if entry["Namespace"] != namespace:
            continue
        pods = " ".join(sorted(names.word_for(uid) for uid in entry["PodUIDs"] or ()))
        for driver, state in sorted(entry["DriverState"].items()):
            devices = "; ".join(sorted(map(device_in, state.get("Devices") or ()))) or "no devices"
            yield f"{names.word_for(entry['ClaimUID'])} for {pods}, {driver}: {devices}"


def device_in(device):
    return " ".join([f"{device['PoolName']}/{device['DeviceName']}", *(device.get("RequestNames") or ()),
                     *(device.get("CDIDeviceIDs") or ())])
