"""The work of a soak: pods with claims arrive at a steady rate, run for a while, end and are
deleted, each under its own name; occasionally the devices of a node are tainted, and their pods
evicted."""
import itertools
import random

from api import RESOURCE

PODS = "/api/v1/namespaces/default/pods"
CLAIMS = f"{RESOURCE}/namespaces/default/resourceclaims"
TEMPLATES = f"{RESOURCE}/namespaces/default/resourceclaimtemplates"
RULES = f"{RESOURCE}/devicetaintrules"
RUN_FOR = "playground.dra-controller-manager.dev/run-for"
NODES = 8
AT_ONCE = 50  # pods, where it has fallen behind


def template():
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "soak"},
            "spec": {"spec": {"devices": {"requests": [
                {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}}}


def pod(name, seconds):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": {RUN_FOR: f"{seconds}s"}},
            "spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "soak"}],
                     "containers": [{"name": "main", "image": "example.com/trainer",
                                     "resources": {"claims": [{"name": "gpu"}]}}]}}


def rule(number, pool):
    """Each under its own name, too."""
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": f"soak-{number}"},
            "spec": {"deviceSelector": {"driver": "gpu.example.com", "pool": pool},
                     "taint": {"key": "example.com/soak", "value": str(number), "effect": "NoExecute"}}}


class Churn:
    """tick() once a second; a late call makes up for it."""

    RULE_EVERY = 60
    RULE_FOR = 10

    def __init__(self, api, rate, seed):
        self._api, self._rate = api, rate
        self._random = random.Random(seed)
        self._numbers = itertools.count()
        self._rules = itertools.count()
        self._rule = None
        self.made = 0
        api.create(TEMPLATES, template())

    def tick(self, seconds):
        """`seconds` since the beginning."""
        for _ in range(int(min(seconds * self._rate - self.made, AT_ONCE))):
            self._api.create(PODS, pod(f"soak-{next(self._numbers)}", self._random.randint(5, 30)))
            self.made += 1
        self.clean_up()
        self._taint(seconds)

    def clean_up(self):
        """Deletes pods that have ended, as a Job's owner does."""
        for phase in ("Succeeded", "Failed"):
            self._api.send("DELETE", f"{PODS}?fieldSelector=status.phase%3D{phase}")

    def _taint(self, seconds):
        in_turn = seconds % self.RULE_EVERY
        if self._rule is None and in_turn >= self.RULE_EVERY - self.RULE_FOR:
            number = next(self._rules)
            pools = [item["spec"]["pool"]["name"]
                     for item in self._api.send("GET", f"{RESOURCE}/resourceslices?limit={NODES}")["items"]]
            self._rule = f"soak-{number}"
            self._api.create(RULES, rule(number, self._random.choice(sorted(pools))))
        elif self._rule is not None and in_turn < self.RULE_EVERY - self.RULE_FOR:
            self.untaint()

    def untaint(self):
        if self._rule is not None:
            self._api.remove(f"{RULES}/{self._rule}")
            self._rule = None

    def left(self):
        """Pods and claims that still exist."""
        return self._api.count(PODS) + self._api.count(CLAIMS)
