"""The scenes that both nodes play. A scene is a function of the stage; its name and docstring say what happens.

Scenes play at the same time, apart from those with `@alone`, which restart the node."""
import signal

from stage import (COMPLETES, CRASHES, FAILS, FAILS_TWICE, HEEDS_SIGTERM, IGNORES_SIGTERM, NODE, RETRY, RUNS,
                   container, pod)
from world import World

SCENES, ALONE = [], []
FINALIZERS = {"finalizers": ["example.com/keeps"]}
NO_FINALIZERS = {"metadata": {"finalizers": None}}
BOTH = {"gpu": None, "nic": None}


def scene(play):
    SCENES.append(play)
    return play


def alone(play):
    ALONE.append(play)
    return play


def run_and_remove(stage, name="p"):
    stage.wait(name, "Running")
    stage.checkpoint(f"while {name} runs")
    stage.delete(name)
    stage.wait(name, "gone")
    stage.checkpoint("at the end")


def end_and_remove(stage, phase):
    stage.wait("p", phase)
    stage.checkpoint("after it")
    stage.delete("p")
    stage.wait("p", "gone")


# ---- a pod's own life

@scene
def completes(stage):
    stage.template(stage.driver())
    stage.create(pod(program=COMPLETES))
    end_and_remove(stage, "Succeeded")


@scene
def fails(stage):
    stage.template(stage.driver())
    stage.create(pod(program=FAILS))
    end_and_remove(stage, "Failed")


@scene
def deleted_gracefully(stage):
    stage.template(stage.driver())
    stage.create(pod())
    run_and_remove(stage)


@scene
def deleted_gracefully_but_ignores_it(stage):
    stage.template(stage.driver())
    stage.create(pod(program=IGNORES_SIGTERM))
    run_and_remove(stage)


@scene
def deleted_by_force(stage):
    stage.template(stage.driver())
    stage.create(pod())
    stage.wait("p", "Running")
    stage.delete("p", gracePeriodSeconds=0)
    stage.wait("p", "gone")
    stage.wait_for_empty_checkpoint()


@scene
def deleted_by_force_and_made_again(stage):
    """With a claim of its own name, so the second pod's claim is prepared after the first one's."""
    driver = stage.driver()
    stage.claim(driver)
    stage.create(pod(claims={"gpu": "gpu"}))
    stage.wait("p", "Running")
    stage.delete("p", gracePeriodSeconds=0)
    stage.wait("p", "gone")
    stage.wait_for_empty_checkpoint()
    stage.create(pod(claims={"gpu": "gpu"}))
    run_and_remove(stage)


@scene
def kept_by_a_finalizer(stage):
    stage.template(stage.driver())
    stage.create(pod(metadata=FINALIZERS))
    stage.wait("p", "Running")
    stage.delete("p")
    stage.wait("p", "Failed")
    stage.checkpoint("while it is kept")
    stage.patch("Pod", "p", NO_FINALIZERS)
    stage.wait("p", "gone")


@scene
def fails_twice_and_completes(stage):
    stage.template(stage.driver())
    made = pod(program=FAILS_TWICE, restartPolicy="OnFailure", volumes=[{"name": "count", "emptyDir": {}}])
    made["spec"]["containers"][0]["volumeMounts"] = [{"name": "count", "mountPath": "/count"}]
    stage.create(made)
    stage.wait("p", "Succeeded")
    stage.delete("p")
    stage.wait("p", "gone")


@scene
def deleted_while_it_waits_after_a_crash(stage):
    stage.template(stage.driver())
    stage.create(pod(program=CRASHES))
    stage.wait_for_crashes("p", 2)  # now it waits for 10 s
    stage.pause(3)
    stage.checkpoint("while it waits")
    stage.delete("p")
    stage.wait("p", "gone")
    stage.checkpoint("at the end")


@scene
def reaches_its_deadline(stage):
    stage.template(stage.driver())
    stage.create(pod(activeDeadlineSeconds=20))
    stage.wait("p", "Running")
    end_and_remove(stage, "Failed")


# ---- containers

@scene
def init_container_and_sidecar(stage):
    stage.template(stage.driver())
    stage.create(pod(initContainers=[
        container("first", COMPLETES), container("sidecar", RUNS, restartPolicy="Always")]))
    run_and_remove(stage)


@scene
def sidecar_of_a_pod_that_completes(stage):
    stage.template(stage.driver())
    stage.create(pod(program=COMPLETES, initContainers=[
        container("sidecar", HEEDS_SIGTERM, restartPolicy="Always")]))
    stage.wait("p", "Succeeded")
    stage.delete("p")
    stage.wait("p", "gone")


@scene
def one_of_two_containers_has_it(stage):
    stage.template(stage.driver())
    stage.create(pod(containers=[container(), container("other", claims=())]))
    run_and_remove(stage)


@scene
def each_container_has_a_request(stage):
    stage.template(stage.driver(), requests=("large", "small"))
    stage.create(pod(containers=[container(name, claims=[{"name": "gpu", "request": name}])
                                 for name in ("large", "small")]))
    run_and_remove(stage)


@scene
def unknown_request(stage):
    stage.template(stage.driver())
    stage.create(pod(containers=[container(claims=[{"name": "gpu", "request": "nobody-knows"}])]))
    run_and_remove(stage)


@scene
def extended_resource(stage):
    stage.driver()
    stage.create(pod(claims={}, containers=[{
        **container(claims=()), "resources": {"limits": {"example.com/extended-resource": 2}}}]))
    run_and_remove(stage)


# ---- claims

@scene
def shared_claim_at_the_same_time(stage):
    stage.claim(stage.driver())
    stage.create(pod("a", claims={"gpu": "gpu"}))
    stage.wait("a", "Running")
    stage.create(pod("b", claims={"gpu": "gpu"}))
    stage.wait("b", "Running")
    stage.checkpoint("while both run")
    stage.delete("a")
    stage.wait("a", "gone")
    run_and_remove(stage, "b")


@scene
def shared_claim_one_after_the_other(stage):
    stage.claim(stage.driver())
    for name in ("a", "b"):
        stage.create(pod(name, COMPLETES, {"gpu": "gpu"}))
        stage.wait(name, "Succeeded")
        stage.checkpoint(f"after {name}")
    for name in ("a", "b"):
        stage.delete(name)
        stage.wait(name, "gone")


@scene
def claim_not_allocated(stage):
    """A pod that was bound by hand: nobody allocates its claim, or reserves it for the pod."""
    stage.claim(stage.driver())
    stage.create(pod(nodeName=NODE, claims={"gpu": "gpu"}))
    stage.wait_for_event("FailedPrepareDynamicResources")
    stage.checkpoint("while it waits")
    stage.delete("p")
    stage.wait("p", "gone")
    stage.checkpoint("at the end")


@scene
def claim_that_is_missing(stage):
    stage.driver()
    stage.create(pod(claims={"gpu": "nobody-has-made-it"}, nodeName=NODE))
    stage.wait_for_event("FailedPrepareDynamicResources")
    stage.delete("p")
    stage.wait("p", "gone")


@scene
def claim_that_was_never_made(stage):
    """There is no template to make it from."""
    stage.driver()
    stage.create(pod(nodeName=NODE))
    stage.wait_for_event("FailedPrepareDynamicResources")
    stage.delete("p")
    stage.wait_a_while("p", "gone")


@scene
def claim_deleted_while_it_is_used(stage):
    stage.claim(stage.driver())
    stage.create(pod(claims={"gpu": "gpu"}))
    stage.wait("p", "Running")
    stage.delete("gpu", "ResourceClaim")
    run_and_remove(stage)


@scene
def claim_gone_while_it_is_used(stage):
    """Somebody takes off its finalizer."""
    stage.claim(stage.driver())
    stage.create(pod(claims={"gpu": "gpu"}))
    stage.wait("p", "Running")
    stage.delete("gpu", "ResourceClaim")
    stage.patch("ResourceClaim", "gpu", NO_FINALIZERS)
    run_and_remove(stage)


@scene
def claims_of_two_drivers(stage):
    stage.template(stage.driver())
    stage.template(stage.driver("-nic"), "nic")
    stage.create(pod(claims=BOTH))
    run_and_remove(stage)


@scene
def two_claims_of_a_driver(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.template(driver, "nic")
    stage.create(pod(claims=BOTH))
    run_and_remove(stage)


# ---- drivers that fail

@scene
def prepare_fails_once(stage):
    driver = stage.driver()
    driver.order(mode="refuse-claims")
    stage.template(driver)
    stage.create(pod())
    stage.wait_for_event("FailedPrepareDynamicResources")
    stage.checkpoint("while it waits")
    driver.order(mode="")
    stage.wait("p", "Running", RETRY)
    run_and_remove(stage)


@scene
def prepare_fails_at_one_of_two_drivers(stage):
    driver = stage.driver()
    other = stage.driver("-nic")
    other.order(mode="refuse-claims")
    stage.template(driver)
    stage.template(other, "nic")
    stage.create(pod(claims=BOTH))
    stage.wait_for_event("FailedPrepareDynamicResources")
    stage.checkpoint("while it waits")
    other.order(mode="")
    stage.wait("p", "Running", RETRY)
    run_and_remove(stage)


@scene
def deleted_after_prepare_has_failed(stage):
    driver = stage.driver()
    driver.order(mode="refuse-claims")
    stage.template(driver)
    stage.create(pod())
    stage.wait_for_event("FailedPrepareDynamicResources")
    driver.order(mode="")
    stage.delete("p")
    stage.wait("p", "gone")
    stage.checkpoint("at the end")


@scene
def deleted_before_its_init_containers(stage):
    driver = stage.driver()
    driver.order(mode="refuse-claims")
    stage.template(driver)
    stage.create(pod(initContainers=[
        container("first", COMPLETES), container("sidecar", RUNS, restartPolicy="Always")]))
    stage.wait_for_event("FailedPrepareDynamicResources")
    driver.order(mode="")
    stage.delete("p")
    stage.wait("p", "gone")


@scene
def deleted_while_prepare_hangs(stage):
    driver = stage.driver()
    driver.order(mode="hang")
    stage.template(driver)
    stage.create(pod())
    stage.wait_for_calls(driver, "prepare", 1)
    stage.checkpoint("while it hangs")
    driver.order(mode="")
    stage.delete("p")
    stage.wait("p", "gone", RETRY)
    stage.checkpoint("at the end")


@scene
def prepare_returns_no_devices(stage):
    driver = stage.driver()
    driver.order(mode="no-devices")
    stage.template(driver)
    stage.create(pod())
    run_and_remove(stage)


@scene
def device_unknown_to_the_runtime(stage):
    driver = stage.driver()
    World.cluster.run("rm", f"/etc/cdi/{driver.name}.json")
    stage.template(driver)
    stage.create(pod())
    stage.wait_for_any_event("Failed", "FailedPrepareDynamicResources")
    stage.checkpoint("while it waits")
    driver.publish()
    stage.wait("p", "Running", RETRY)
    run_and_remove(stage)


@scene
def driver_not_registered(stage):
    driver = stage.driver()
    stage.template(driver)
    driver.end()
    stage.pause(5)  # the node finds out
    stage.create(pod())
    stage.wait_for_event("FailedPrepareDynamicResources")
    stage.checkpoint("while it waits")
    driver.start()
    stage.wait("p", "Running", RETRY)
    run_and_remove(stage)


@scene
def unprepare_fails_twice(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod())
    stage.wait("p", "Running")
    driver.order(mode="refuse-claims")
    stage.delete("p")
    stage.wait_for_calls(driver, "unprepare", 2)
    stage.checkpoint("while it fails")
    driver.order(mode="")
    stage.wait("p", "gone")
    stage.checkpoint("at the end")


@scene
def unprepare_fails_after_completion(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod(program=COMPLETES))
    stage.wait("p", "Running")
    driver.order(mode="refuse-claims")
    stage.wait_for_calls(driver, "unprepare", 2)
    stage.checkpoint("while it fails")
    driver.order(mode="")
    stage.wait("p", "Succeeded")
    stage.delete("p")
    stage.wait("p", "gone")


@scene
def driver_gone_at_unprepare(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod())
    stage.wait("p", "Running")
    driver.end()
    stage.delete("p")
    stage.wait_a_while("p", "gone", 15)
    stage.checkpoint("without it")
    driver.start()
    stage.wait("p", "gone")
    stage.checkpoint("at the end")


@scene
def driver_killed_while_the_pod_runs(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod())
    stage.wait("p", "Running")
    driver.end(signal.SIGKILL)
    driver.start()
    run_and_remove(stage)


@scene
def device_becomes_unhealthy(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod(containers=[container(), container("other", claims=())],
                     initContainers=[container("sidecar", restartPolicy="Always")]))
    stage.wait("p", "Running")
    for health, message in (("Healthy", ""), ("Unhealthy", "ECC"), ("Healthy", "")):
        driver.order(health=[{"pool": NODE, "device": "dev-0", "health": health, "message": message}])
        stage.wait_for_health("p", health)
    run_and_remove(stage)


# ---- the node restarts

def restart_node():
    World.cluster.end("kubelet", signal.SIGKILL)
    World.start_part("kubelet")


@alone
def node_restarts_while_pods_run(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod(), pod("waits", nodeName=NODE, claims={"gpu": "missing"}))
    stage.wait("p", "Running")
    stage.wait_for_event("FailedPrepareDynamicResources")
    stage.delete("waits", gracePeriodSeconds=0)
    stage.again(driver, restart_node)
    stage.create(pod("later"))
    stage.wait("later", "Running")
    stage.delete("later")
    stage.wait("later", "gone")
    run_and_remove(stage)


@alone
def pod_deleted_while_the_node_is_down(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod())
    stage.wait("p", "Running")
    World.cluster.end("kubelet", signal.SIGKILL)
    stage.delete("p")
    stage.again(driver, lambda: World.start_part("kubelet"))
    stage.wait("p", "gone")
    stage.checkpoint("at the end")


@alone
def pod_deleted_by_force_while_the_node_is_down(stage):
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod())
    stage.wait("p", "Running")
    World.cluster.end("kubelet", signal.SIGKILL)
    stage.delete("p", gracePeriodSeconds=0)
    stage.wait("p", "gone")
    stage.again(driver, lambda: World.start_part("kubelet"))
    stage.wait_for_empty_checkpoint()


@alone
def container_ends_while_the_node_is_down(stage):
    """It completes: the node finds the end, unprepares, and says so."""
    driver = stage.driver()
    stage.template(driver)
    stage.create(pod(program=COMPLETES))
    stage.wait("p", "Running")
    World.cluster.end("kubelet", signal.SIGKILL)
    stage.pause(6)
    stage.again(driver, lambda: World.start_part("kubelet"))
    stage.wait("p", "Succeeded")
    stage.delete("p")
    stage.wait("p", "gone")
