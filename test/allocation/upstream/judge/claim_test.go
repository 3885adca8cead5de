package judge

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var expressions = []string{
	`device.attributes[device.driver].?model.orValue("") == "m0"`,
	`has(device.attributes["resource.kubernetes.io"].numaNode) && device.attributes["resource.kubernetes.io"].numaNode == 0`,
	`"ready" in device.attributes["b.example.com"] && device.attributes["b.example.com"]["ready"]`,
	`device.attributes[device.driver].?version.orValue(semver("0.0.1")).isGreaterThan(semver("1.3.0"))`,
	`!(device.attributes[device.driver].?model.orValue("x") in ["m1"])`,
	`device.driver.startsWith("a.")`,
	`device.attributes.exists(x, x == "resource.kubernetes.io")`,
	`device.capacity[device.driver].exists(c, device.capacity[device.driver][c].compareTo(quantity("9")) > 0)`,
	`device.capacity[device.driver].?memory.optMap(m, m.isLessThan(quantity("9"))).orValue(true)`,
	`device.attributes[device.driver].model == "m1" || true`,
	`device.attributes[device.driver].all(a, a.size() > 3)`,
	`device.attributes[device.driver].?model.orValue("m0").matches("^m[0-9]$")`,
}

// Failing selectors, on some devices or on all.
var failing = []string{
	`device.attributes[device.driver].model == "m0"`,
	`device.attributes[device.driver].version == "1.2.3"`,
	`device.allowMultipleAllocations`,
	`device.capacity["a.example.com"].memory.asInteger() > 8`,
	`device.driver`,
	`1 / 0 == 1`,
}

var qualified = []string{"resource.kubernetes.io/numaNode", "a.example.com/model", "b.example.com/model", "b.example.com/version", "a.example.com/version", "a.example.com/derived"}

func (m maker) claim(number int) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("claim-", number), Namespace: "default"}}
	devices := &claim.Spec.Devices
	var names []string
	for q := range 1 + m.Intn(2) {
		request := m.request(fmt.Sprint("req-", q))
		devices.Requests = append(devices.Requests, request)
		names = append(names, request.Name)
		for _, sub := range request.FirstAvailable {
			names = append(names, request.Name+"/"+sub.Name)
		}
	}
	for range m.Intn(3) {
		if !m.chance(40) {
			continue
		}
		attribute := resourceapi.FullyQualifiedName(m.of(qualified...))
		constraint := resourceapi.DeviceConstraint{MatchAttribute: &attribute}
		if m.chance(35) {
			constraint = resourceapi.DeviceConstraint{DistinctAttribute: &attribute}
		}
		if m.chance(50) {
			constraint.Requests = []string{m.of(names...)}
		}
		devices.Constraints = append(devices.Constraints, constraint)
	}
	for range m.Intn(3) {
		c := resourceapi.DeviceClaimConfiguration{DeviceConfiguration: config(m.of(drivers...), `{"of":"claim", "n": 1.50}`)}
		if m.chance(60) {
			c.Requests = []string{m.of(names...)}
		}
		devices.Config = append(devices.Config, c)
	}
	return claim
}

func (m maker) request(name string) resourceapi.DeviceRequest {
	if m.chance(70) {
		sub := m.subRequest(name, 0)
		exactly := &resourceapi.ExactDeviceRequest{DeviceClassName: sub.DeviceClassName, AllocationMode: sub.AllocationMode, Count: sub.Count, Selectors: sub.Selectors,
			Tolerations: sub.Tolerations, Capacity: sub.Capacity, DerivedAttributes: sub.DerivedAttributes, AdminAccess: maybe(m.dice, 8, m.chance(80))}
		return resourceapi.DeviceRequest{Name: name, Exactly: exactly}
	}
	request := resourceapi.DeviceRequest{Name: name}
	for s := range 1 + m.Intn(3) {
		request.FirstAvailable = append(request.FirstAvailable, m.subRequest(fmt.Sprint("sub-", s), s))
	}
	return request
}

// Later alternatives request less.
func (m maker) subRequest(name string, number int) resourceapi.DeviceSubRequest {
	request := resourceapi.DeviceSubRequest{Name: name, DeviceClassName: m.of("class-0", "class-1", "any", "any", "any", "two"),
		AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: int64(1 + m.Intn(3-min(number, 2))*m.Intn(2))}
	if m.alike && m.chance(50) {
		request.Count += int64(m.Intn(5))
	}
	if m.chance(1) {
		request.Count = 33
	}
	if m.chance(1) {
		request.DeviceClassName = "nosuch"
	}
	if m.chance(15) {
		request.AllocationMode, request.Count = resourceapi.DeviceAllocationModeAll, 0
	}
	if m.chance(30) {
		request.Selectors = selectors(m.of(expressions...))
	}
	if m.chance(2) {
		request.Selectors = append(request.Selectors, selectors(m.of(failing...))...)
	}
	for m.taints && m.chance(40) {
		toleration := resourceapi.DeviceToleration{Key: m.of("k", "k", "example.com/q"), Operator: resourceapi.DeviceTolerationOperator(m.of("Exists", "Equal")),
			Effect: resourceapi.DeviceTaintEffect(m.of("", "NoSchedule", "NoExecute"))}
		if toleration.Operator == resourceapi.DeviceTolerationOpEqual {
			toleration.Value = m.of("v", "v", "")
		} else if m.chance(20) {
			toleration.Key = ""
		}
		request.Tolerations = append(request.Tolerations, toleration)
	}
	if m.capacity && m.chance(60) {
		request.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{
			resourceapi.QualifiedName(m.of("memory", "memory", "memory", "cores")): m.quantity("1", "2", "3", "5", "8", "700m", "0", "1Gi")}}
	}
	if m.derived && m.chance(70) {
		request.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: "a.example.com/derived", Expression: m.of(
			`device.driver`, `device.attributes[device.driver].?model.orValue("m0")`, `device.attributes[device.driver].size()`, `1 + 1`, `device.attributes["a.example.com"].model`)}}
	}
	return request
}
