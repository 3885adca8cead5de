"""The known differences between kubelet and a hollow node. Each name is a row of the table in node/README.md."""
from differences import Known

CONTAINER = "pod [^,]+, container [^,]+"
READY = "pod [^,]+, is (Containers)?Ready"
NOT_READY = "False: ContainersNotReady: [^→]+"
CRASH = "deleted_while_it_waits_after_a_crash|fails_twice_and_completes"
FAILING = "prepare_fails_at_one_of_two_drivers"
RAN_OR_NOT = "(running|terminated 1 Error)"
UNDESCRIBED = "device_unknown_to_the_runtime"
UNMADE = "claim_that_was_never_made"

KNOWN = [
    Known("first status", CONTAINER, "waiting (ContainerCreating|PodInitializing)", "", place="first"),
    Known("first status", f"{CONTAINER}, flags", "none", "", place="first"),
    Known("first status", READY, f"{NOT_READY}( → {NOT_READY})?", "", place="first"),
    Known("first status", "pod [^,]+, is PodReadyToStartContainers",
          "False: PodSandboxNotReady: no pod sandbox exists", "", place="first"),
    Known("first status", "pod [^,]+, is Initialized", "False: ContainersNotInitialized: .*", "", place="first"),

    Known("init containers", "pod [^,]+, container first", "waiting PodInitializing → running", ""),
    Known("init containers", "pod [^,]+, container first, flags", "none → started", ""),

    Known("end of a sidecar", READY, NOT_READY, "", "sidecar_of_a_pod_that_completes", place="between"),

    Known("fields of a runtime", "pod [^,]+, fields", "resources", ""),
    Known("fields of a runtime", "pod [^,]+, fields", "allocatedResources", "", scenes="extended_resource"),
    Known("fields of a runtime", f"{CONTAINER}, fields", "resources|user|volumeMounts", ""),
    Known("fields of a runtime", f"{CONTAINER}, fields", "allocatedResources", "", scenes="extended_resource"),

    Known("events of containers", "events of .*", r"Normal (Created|Killing|Pulled|Started): … \(\w+\)", ""),
    Known("events of containers", "events of .*", r"Warning (BackOff|MissingClusterDNS): … \(\w+\)", ""),
    Known("events of containers", "events of .*", r"Warning FailedMount: … \(\w+\)", "", at_times=True),
    Known("events of containers", "events of .*", r"Normal DeadlineExceeded: … \(\w+\)", "",
          scenes="reaches_its_deadline"),

    # A wait is in kubelet's status only from its next look at the pod on, often the end of the wait.
    Known("a container between crash and restart", CONTAINER, f"({RAN_OR_NOT}( → {RAN_OR_NOT})*)?",
          "(waiting CrashLoopBackOff: [^→]*)?", CRASH),
    Known("a container between crash and restart", f"{CONTAINER}, flags",
          "(none|ready started)( → (none|ready started))*", "", CRASH),
    Known("a container between crash and restart", READY,
          f"(True|{NOT_READY})( → (True|{NOT_READY}))*", "", CRASH),
    Known("a container between crash and restart", f"{CONTAINER}, last state", "", "absent", CRASH, at_times=True),

    Known("a device without a CDI spec", "events of p", "Warning Failed: .*unresolvable CDI devices.*", "", UNDESCRIBED),
    Known("a device without a CDI spec", "events of p", "", "Warning FailedPrepareDynamicResources: .*no CDI spec.*",
          UNDESCRIBED),
    Known("a device without a CDI spec", "pod p, container main", "waiting CreateContainerError: .*", "", UNDESCRIBED),

    Known("event of a failed unprepare", "events of .*", "", r"Warning FailedUnprepareDynamicResources: .* \(repeated\)",
          scenes="unprepare_fails_.*|driver_gone_at_unprepare"),
    Known("event of a failed unprepare", "events of .*", "",
          "Warning FailedUnprepareDynamicResources: .* is not registered .*", ".*_while_the_node_is_down", at_times=True),
    Known("status while unprepare fails", READY, NOT_READY, "", "unprepare_fails_twice|driver_gone_at_unprepare",
          place="between"),

    Known("a claim that was never made", "pod p, phase", "", "Failed deleted → gone", UNMADE),
    Known("a claim that was never made", "pod p, calls by then", "", "Failed deleted: 0 prepare, 0 unprepare", UNMADE),
    Known("a claim that was never made", "pod p, container main", "", "terminated 137 ContainerStatusUnknown: .*",
          UNMADE),

    Known("one of two drivers fails", "calls of .*", "prepare p/gpu", "", FAILING, at_times=True),
    Known("one of two drivers fails", "pod p, calls by then", at_times=True, scenes=FAILING),
    Known("one of two drivers fails", "checkpoint while it waits", at_times=True, scenes=FAILING),
    Known("one of two drivers fails", f"{CONTAINER}, devices", at_times=True, scenes=FAILING),

    Known("order of claims in a call", "calls of .*", "((un)?prepare p/(gpu|nic))?", "((un)?prepare p/(gpu|nic))?",
          scenes="two_claims_of_a_driver", at_times=True),

    Known("words of gRPC errors", "events of p", ".*NodePrepareResources: rpc error: code = DeadlineExceeded.*", "",
          scenes="deleted_while_prepare_hangs"),
    Known("words of gRPC errors", "events of p", "",
          ".*NodePrepareResources: rpc error: code = DeadlineExceeded desc = (no answer by the deadline|"
          "the stream was reset: CANCEL).*", scenes="deleted_while_prepare_hangs"),

    Known("health of an ended pod's devices", f"{CONTAINER}, devices", "", "absent", "shared_claim_at_the_same_time"),
    # Only if kubelet looks at the ended pod while the next one has the claim.
    Known("health of an ended pod's devices", "pod a, container main, devices", "claim:gpu: .* Unknown", "",
          "shared_claim_one_after_the_other", at_times=True),
]
