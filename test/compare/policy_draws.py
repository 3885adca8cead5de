"""Random admission policies, bindings and matching writes."""
from draws import JSON, MERGE, chance

# Conditions about config maps, claims and requests; some fail with an error, some do not compile.
CONDITIONS = [
    "object.data.a == '1'", "object != null && has(object.data) && object.data.size() > 1",
    "oldObject == null || object == null || object.metadata.name == oldObject.metadata.name",
    "request.operation in ['CREATE', 'DELETE']", "request.dryRun || request.namespace != ''",
    "request.userInfo.username.startsWith('system:serviceaccount:')",
    "request.userInfo.groups.exists(g, g == 'system:masters')",
    "request.userInfo.extra['example.com/node'][0] == 'n1'",
    "request.userInfo.?extra[?'example.com/node'][0].orValue('') == 'n1'",
    "request.kind.kind == 'ConfigMap' && request.resource.version == 'v1'",
    "request.requestKind.version == request.kind.version",
    "request.name.matches('^m[0-9]$')", "request.options.kind == 'CreateOptions'",
    "!has(request.options.fieldManager) || request.options.fieldManager == 'me'",
    "object == null || object.kind == 'ResourceClaim' || int(object.data.a) < 2",
    "object.spec.devices.requests.all(r, r.name != 'b')",
    "object.spec.devices.requests[0].exactly.count == 1",
    "object.spec.devices.requests[0].deviceClassName == 'gpu'",
    "object.?data[?'a'].orValue('x') == 'x'", "has(object.metadata.labels)",
    "object.metadata.labels.policy.size() > 0", "object.metadata.?finalizers.hasValue()",
    "namespaceObject.metadata.labels['tier'] == 'one'",
    "namespaceObject == null || namespaceObject.status.phase == 'Active'",
    "namespaceObject.metadata.name == request.namespace",
    "authorizer.group('').resource('pods').namespace('x').check('create').allowed()",
    "authorizer.requestResource.check('update').allowed()",
    "authorizer.path('').check('get').allowed()", "object.data.b.contains('x')",
    "quantity(object.data.a).isLessThan(quantity('2'))", "1 / 0 == 1", "[1, 2].sum() == 3",
    "object.data.a.upperAscii() == 'A' || true", "true", "false", "type(object) == map",
    "object.data == {'a': '1'}", "oldObject.data.a == object.data.a", "object.apiVersion == 'v1'",
    "cel.bind(d, object.data, d.a + d.b == '12')", "string(object.metadata.generation) == '1'",
    "object.metadata.creationTimestamp != ''", "object.immutable == false",
    "size(object.metadata.uid) == 36", "object.metadata.managedFields.size() > 0",
    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16].all(a, [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16].all("
    "b, [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16].all(c, [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"
    ".all(d, [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16].all(e, a + b + c + d + e > 0)))))",
]
BROKEN = [
    "x == 1", "object.", "1", "'text'", "object.data.a", "request.nothing == 1", "null", "",
    "  ", "params.max == '2'", "namespaceObject.spec.nothing == 1", "variables.unknown", "1 == 'a'",
    "request.userInfo.groups == 'a'", "object.data.all(k, 1)", "authorizer", "has(object)",
    "namespaceObject.metadata.ownerReferences.size() == 0", "timestamp('x') == timestamp('y')",
    "'a'.matches('[')", "request.object == null", "[1, 'a'].size() == 2", "type(1)", "b'x'",
    "timestamp('2020-01-01T00:00:00Z')", "duration('1h')", "{'a': 1}", "[[1]]", "optional.of(1)",
]
PARAMS = ["params == null || params.data.max == '2'", "int(params.data.max) > 2",
          "params.kind == 'ConfigMap' && params.apiVersion == 'v1'", "params.missing == 1",
          "object.data.a == params.data.max", "params.metadata.name == 'limits'"]
MESSAGES = ["'no ' + request.name", "object.data.a", "string(object.data.a)", "'a\\nb'", "'  '",
            "'n: ' + string(size(object.data))", "object.missing + ''", "1", "null",
            "request.userInfo.username", "authorizer.path('/x').check('get').reason()",
            "'params: ' + string(params.data.max)", "'x' + variables.v0", "variables.v0"]
VARIABLES = ["object.data", "object.data.a", "request.userInfo.username", "1", "'x'", "[1, 2]",
             "{'a': [1]}", "object != null", "variables.v0", "params.data", "namespaceObject",
             "authorizer.group('')", "timestamp('2020-01-01T00:00:00Z')", "optional.of(1)", "object.x",
             "[object.data.a]", "null", "1.5", "b'x'", "duration('1h')", "undeclared"]
USES = ["variables.v0 == 'x'", "variables.v0 == 1", "variables.v0.a == '1'", "has(variables.v0.a)",
        "variables.v1 == variables.v0", "variables.v1 != null", "variables.v0.size() > 0",
        "variables.v0", "variables.v0[0] == 1", "variables.v0 in ['x', 'y']", "has(variables.v1)"]
REASONS = ["Forbidden", "Invalid", "Unauthorized", "RequestEntityTooLarge", "NotFound"]


def condition(draw, spec, variables=True):
    if chance(draw, 5):
        return draw.choice(BROKEN)
    pool = [CONDITIONS]
    if "paramKind" in spec:
        pool.append(PARAMS)
    if variables and spec.get("variables"):
        pool += [USES, USES]
    first = draw.choice(draw.choice(pool))
    if chance(draw, 25):
        return f"{first} {draw.choice(['&&', '||'])} {draw.choice(CONDITIONS)}"
    return f"!({first})" if chance(draw, 10) else first


def rule(draw):
    found = {"apiGroups": draw.choice([[""], ["*"], ["", "resource.k8s.io"], ["resource.k8s.io"]]),
             "apiVersions": draw.choice([["v1"], ["*"], ["v1beta1"], ["v1", "v1beta2"]]),
             "operations": draw.choice([["*"], ["CREATE"], ["UPDATE", "DELETE"], ["CREATE", "UPDATE"]]),
             "resources": draw.choice([["*"], ["configmaps"], ["configmaps", "resourceclaims"],
                                       ["resourceclaims", "resourceclaims/status"], ["*/*"],
                                       ["resourceclaims/*", "configmaps"]])}
    if chance(draw, 10):
        found["scope"] = draw.choice(["*", "Namespaced", "Cluster"])
    if chance(draw, 10):
        found["resourceNames"] = draw.choice([["m0"], ["m1", "m2"]])
    return found


def mistaken(draw, holder):
    """One invalid field of a policy or binding."""
    key = draw.choice(sorted(holder))
    holder[key] = draw.choice([None, [], {}, "", "Bad Name!", ["*", "x"], [""], ["a/b", "a/*", "a/c"]]) \
        if not isinstance(holder[key], (dict, list)) or chance(draw, 50) else type(holder[key])()


def match_resources(draw):
    found = {"resourceRules": [rule(draw) for _ in range(draw.choice([1, 1, 2]))]}
    if chance(draw, 15):
        found["excludeResourceRules"] = [rule(draw)]
    if chance(draw, 20):
        found["matchPolicy"] = draw.choice(["Exact", "Equivalent", "Other"] if chance(draw, 10)
                                           else ["Exact", "Equivalent"])
    if chance(draw, 15):
        found["namespaceSelector"] = draw.choice([
            {"matchLabels": {"tier": "one"}}, {"matchLabels": {"tier": "two"}},
            {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["one"]}]},
            {"matchExpressions": [{"key": "none", "operator": "DoesNotExist"}]}])
    if chance(draw, 10):
        found["objectSelector"] = draw.choice([
            {"matchLabels": {"l": "1"}}, {"matchExpressions": [{"key": "l", "operator": "Exists"}]},
            {"matchExpressions": [{"key": "l", "operator": "Is", "values": ["x y"]}]}])
    return found


def validation(draw, spec):
    found = {"expression": condition(draw, spec)}
    if chance(draw, 30):
        found["messageExpression"] = draw.choice(MESSAGES[:6] if chance(draw, 60) else MESSAGES)
    if chance(draw, 30):
        found["message"] = draw.choice(["plain", " spaces ", "two\nlines", " "]
                                       if chance(draw, 15) else ["plain", " spaces "])
    if chance(draw, 30):
        found["reason"] = draw.choice(REASONS[:4] if chance(draw, 90) else REASONS)
    return found


def policy_spec(draw):
    spec = {"matchConstraints": match_resources(draw)}
    if chance(draw, 20):
        spec["paramKind"] = draw.choice([{"apiVersion": "v1", "kind": "ConfigMap"}] * 6 + [
            {"apiVersion": "example.com/v1", "kind": "Limit"}, {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass"},
            {"apiVersion": "a/b/c", "kind": "1x"}])
    if chance(draw, 40):
        names = ["v0", "v1", "v2"][:draw.choice([1, 2, 3])]
        spec["variables"] = [{"name": "if" if chance(draw, 1) else name, "expression":
                              draw.choice(VARIABLES[:10] if chance(draw, 60) else VARIABLES)}
                             for name in names]
    if chance(draw, 25):
        spec["matchConditions"] = [{"name": f"c{n}", "expression": condition(draw, spec, False)}
                                   for n in range(draw.choice([1, 2]))]
    spec["validations"] = [validation(draw, spec) for _ in range(draw.choice([1, 1, 2, 3]))]
    if chance(draw, 15):
        spec["auditAnnotations"] = [{"key": draw.choice(["k", "a b"] if chance(draw, 10) else ["k"]),
                                     "valueExpression": draw.choice(
                                         ["'x'", "null", "object.data.a + ''", "1", " ", "'a' + params.x",
                                          "object.data.missing", "request.name"])}]
    if chance(draw, 40):
        spec["failurePolicy"] = draw.choice(["Fail", "Ignore"])
    if chance(draw, 8):
        mistaken(draw, draw.choice([spec, spec["matchConstraints"],
                                    spec["matchConstraints"]["resourceRules"][0]]))
    return spec


def binding_spec(draw, name, has_params):
    spec = {"policyName": name, "matchResources": {"objectSelector": {"matchLabels": {"policy": name}}},
            "validationActions": draw.choice([["Deny"], ["Deny"], ["Deny", "Audit"], ["Warn"],
                                              ["Warn", "Audit"], ["Audit"]])}
    if chance(draw, 20):
        spec["matchResources"].update(match_resources(draw))
        spec["matchResources"]["objectSelector"] = {"matchLabels": {"policy": name}}
    if has_params and chance(draw, 90) or chance(draw, 5):
        spec["paramRef"] = {"parameterNotFoundAction": draw.choice(["Deny", "Allow"]), **draw.choice([
            {"name": "limits"}, {"name": "limits"}, {"name": "none"}, {"selector": {"matchLabels": {"p": "1"}}},
            {"selector": {}}, {"name": "limits", "namespace": "default"}])}
    if chance(draw, 6):
        mistaken(draw, draw.choice([spec, spec.get("paramRef", spec)]))
    return spec


def draw_policy(draw, name):
    """→ a policy, and its binding for objects with its name as a label"""
    spec = policy_spec(draw)
    if (spec.get("paramKind") or {}).get("kind") == "Limit":
        # It rejects everything that it matches, before any binding is evaluated.
        (spec.get("matchConstraints") or {})["objectSelector"] = {"matchLabels": {"policy": name}}
    return ({"metadata": {"name": name}, "spec": spec},
            {"metadata": {"name": name}, "spec": binding_spec(draw, name, "paramKind" in spec)})


# ---- writes

def users(draw):
    return draw.choice([{}, {}, {}, {"Impersonate-User": "jane", "Impersonate-Group": "system:masters"},
                        {"Impersonate-User": "system:serviceaccount:dra:driver",
                         "Impersonate-Group": "system:masters",
                         "Impersonate-Extra-Example.com%2fnode": draw.choice(["n1", "n2"])}])


def draw_writes(draw, place, policy):
    """→ (method, path, body, content type, headers), …"""
    labels = {"policy": policy, **({"l": "1"} if chance(draw, 50) else {})}
    maps = f"/api/v1/namespaces/{place}/configmaps"
    version = draw.choice(["v1", "v1", "v1beta1", "v1beta2"])
    claims = f"/apis/resource.k8s.io/{version}/namespaces/{place}/resourceclaims"
    request = {"name": draw.choice(["a", "b"]), **({"deviceClassName": "gpu"} if version == "v1beta1"
                                                  else {"exactly": {"deviceClassName": "gpu"}})}
    for number in range(3):
        name = f"m{number}-{policy.rpartition('-')[2]}" if chance(draw, 50) else f"m{number}"
        data = draw.choice([{"a": "1"}, {"a": "2", "b": "x"}, {"b": "2"}, {"a": "x"}, {}])
        query = draw.choice(["", "", "?dryRun=All", "?fieldManager=me", "?fieldValidation=Strict"])
        body = {"metadata": {"name": name, "labels": labels}, **({"data": data} if data else {})}
        yield "POST", maps + query, body, JSON, users(draw)
        change = {"data": draw.choice([{"a": "1"}, {"a": "3"}, {"c": "x"}, None])}
        yield "PATCH", f"{maps}/{name}{query}", change, MERGE, users(draw)
        claim = {"metadata": {"name": name, "labels": labels}, "spec": {"devices": {"requests": [request]}}}
        yield "POST", claims, claim, JSON, users(draw)
        yield ("PATCH", f"{claims}/{name}/status", {"metadata": {"labels": labels}, "status": {}}, MERGE,
               users(draw))
        for path in (f"{maps}/{name}", f"{claims}/{name}"):
            yield "DELETE", path, None, "", users(draw)
            yield "DELETE", path, None, "", {}
