package judge

import (
	"fmt"
	"math/rand"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/internal/wire"
	"k8s.io/utils/ptr"
)

var drivers = []string{"a.example.com", "b.example.com"}

// On with --min-compatibility-version=1.37 only.
const gateOfFractions = "DRAFractionalCapacityRange"

var (
	gatesOfDefaults = []string{"DRAAdminAccess", "DRAConsumableCapacity", "DRADeviceBindingConditions+DRAResourceClaimDeviceStatus",
		"DRADeviceTaints", gateOfFractions, "DRAPartitionableDevices", "DRAPrioritizedList"}
	gatesOfAlpha = []string{"DRADeviceCompatibilityGroups", "DRAListTypeAttributes", "DRADerivedAttributes", "DRAOptionalNodeOperations"}
)

// maker creates one world; its features are drawn first, so that some worlds are plain and some
// have everything.
type maker struct {
	dice
	alike, counters, capacity, taints, lists, bindings, derived, groups, skips bool
}

func newWorld(r *rand.Rand) wire.Request {
	m := maker{dice: dice{r}}
	m.alike, m.counters, m.capacity, m.taints = m.chance(15), m.chance(30), m.chance(35), m.chance(40)
	m.lists, m.bindings, m.derived, m.groups = m.chance(20), m.chance(25), m.chance(15), m.chance(15)
	world := wire.Request{Kind: "allocate", Features: m.gates(), Classes: m.classes()}
	// Without the gate the API server drops the field, and Kubernetes' allocators treat it
	// differently.
	m.derived = m.derived && (slices.Contains(world.Features, "DRADerivedAttributes") || m.chance(5))
	m.skips = slices.Contains(world.Features, "DRAOptionalNodeOperations") && m.chance(30)
	world.Node = &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-0", Labels: map[string]string{"zone": "z0", "rack": "7", "gpu": "yes"}}}
	if m.chance(70) {
		world.Node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
	}
	for p := range 1 + m.Intn(4) {
		world.Slices = append(world.Slices, m.pool(p)...)
	}
	m.Shuffle(len(world.Slices), func(i, j int) { world.Slices[i], world.Slices[j] = world.Slices[j], world.Slices[i] })
	for c := range []int{1, 1, 1, 2, 2, 3}[m.Intn(6)] {
		world.Claims = append(world.Claims, m.claim(c))
	}
	m.use(&world)
	return world
}

func (m maker) gates() (gates []string) {
	alpha := m.chance(50)
	for _, gate := range gatesOfDefaults {
		if !m.chance(2) && (alpha || gate != gateOfFractions) {
			gates = append(gates, gate)
		}
	}
	for _, gate := range gatesOfAlpha {
		if alpha && m.chance(85) {
			gates = append(gates, gate)
		}
	}
	return gates
}

func (m maker) classes() (all []*resourceapi.DeviceClass) {
	add := func(name string, expressions ...string) *resourceapi.DeviceClass {
		class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
		class.Spec.Selectors = selectors(expressions...)
		all = append(all, class)
		return class
	}
	for i, driver := range drivers {
		class := add(fmt.Sprint("class-", i), fmt.Sprintf("device.driver == %q", driver))
		if m.chance(30) {
			class.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: config(driver, `{"of": "class"}`)}}
		}
	}
	add("any")
	add("two", `device.driver.endsWith(".example.com")`, `!has(device.attributes["a.example.com"].hidden)`)
	return all
}

// Slices of one pool: occasionally incomplete, old, or elsewhere.
func (m maker) pool(p int) (made []*resourceapi.ResourceSlice) {
	driver, name := m.of(drivers...), m.of("pool-%d", "pool-%d", "rack-1/pool-%d", "pool-%d.x")
	pool := resourceapi.ResourcePool{Name: fmt.Sprintf(name, p), Generation: 1, ResourceSliceCount: int64(1 + m.Intn(2))}
	count := int(pool.ResourceSliceCount)
	counters := m.counters && m.chance(80)
	if counters {
		pool.ResourceSliceCount++
	}
	where := m.of("node", "node", "node", "node", "all", "selector", "device")
	for s := range count {
		spec := resourceapi.ResourceSliceSpec{Driver: driver, Pool: pool}
		placed := where
		if m.chance(4) {
			placed = "elsewhere"
		}
		m.place(placed, &spec.NodeName, &spec.AllNodes, &spec.NodeSelector)
		spec.PerDeviceNodeSelection = maybe(m.dice, 100, true)
		if placed != "device" {
			spec.PerDeviceNodeSelection = nil
		}
		if m.skips && m.chance(60) {
			spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperation(m.of("*", "NodePrepareResources"))}
		}
		for i := range 1 + m.Intn(6) {
			device := m.device(10*s+i, driver, counters)
			if placed == "device" {
				m.place(m.of("node", "all", "selector", "elsewhere"), &device.NodeName, &device.AllNodes, &device.NodeSelector)
			}
			spec.Devices = append(spec.Devices, device)
		}
		made = append(made, &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", m.of("x", "y"), 10*p+s)}, Spec: spec})
	}
	if counters {
		made = append(made, m.counterSets(p, driver, pool))
	}
	if m.chance(2) {
		made[0].Spec.Pool.Generation = 2
	}
	if m.chance(2) {
		made = made[1:]
	}
	if m.chance(2) && len(made) > 0 && len(made[0].Spec.Devices) > 1 {
		made[0].Spec.Devices[1].Name = made[0].Spec.Devices[0].Name // invalid
	}
	return made
}

func (m maker) place(where string, name **string, all **bool, selector **v1.NodeSelector) {
	switch where {
	case "node":
		*name = ptr.To("node-0")
	case "all":
		*all = ptr.To(true)
	case "selector":
		*selector = m.nodes()
	case "elsewhere":
		*name = ptr.To("node-1")
	}
}

func (m maker) counterSets(p int, driver string, pool resourceapi.ResourcePool) *resourceapi.ResourceSlice {
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("c-", p)}}
	slice.Spec = resourceapi.ResourceSliceSpec{Driver: driver, Pool: pool}
	m.place(m.of("node", "node", "all", "elsewhere"), &slice.Spec.NodeName, &slice.Spec.AllNodes, &slice.Spec.NodeSelector)
	for i := range 2 {
		slice.Spec.SharedCounters = append(slice.Spec.SharedCounters, resourceapi.CounterSet{Name: fmt.Sprint("set-", i), Counters: map[string]resourceapi.Counter{
			"memory": {Value: m.quantity("4", "8", "2Gi", "2500m")}, "slots": {Value: m.quantity("1", "2", "3")}}})
	}
	if m.chance(2) {
		slice.Spec.SharedCounters[1].Name = "set-0" // invalid
	}
	return slice
}

func (m maker) device(number int, driver string, counters bool) resourceapi.Device {
	device := resourceapi.Device{Name: fmt.Sprintf("dev-%02d", number), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}}
	if m.alike {
		device.Attributes["model"] = resourceapi.DeviceAttribute{StringValue: ptr.To("m0")}
	} else {
		m.describe(&device, driver)
	}
	if counters && m.chance(85) {
		m.consume(&device)
	}
	if m.capacity {
		device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": m.deviceCapacity()}
		if m.chance(30) {
			device.Capacity["cores"] = m.deviceCapacity()
		}
		device.AllowMultipleAllocations = maybe(m.dice, 70, m.chance(90))
	}
	if m.taints && m.chance(30) {
		for range 1 + m.Intn(2) {
			device.Taints = append(device.Taints, resourceapi.DeviceTaint{Key: m.of("k", "example.com/q"), Value: m.of("", "v"),
				Effect: resourceapi.DeviceTaintEffect(m.of("NoSchedule", "NoExecute", "None"))})
		}
	}
	if m.bindings && m.chance(40) {
		device.BindingConditions = []string{"ready.example.com"}
		device.BindingFailureConditions = []string{"broken.example.com"}
	}
	if m.bindings && m.chance(40) {
		device.BindsToNode = ptr.To(m.chance(90))
	}
	return device
}

func (m maker) describe(device *resourceapi.Device, driver string) {
	put := func(percent int, name string, value resourceapi.DeviceAttribute) {
		if m.chance(percent) {
			device.Attributes[resourceapi.QualifiedName(name)] = value
		}
	}
	model := m.of("model", driver+"/model") // not both: they mean the same, and which one counts is undefined
	put(80, model, resourceapi.DeviceAttribute{StringValue: ptr.To(m.of("m0", "m1"))})
	put(80, "resource.kubernetes.io/numaNode", resourceapi.DeviceAttribute{IntValue: ptr.To(int64(m.Intn(2)))})
	put(80, "version", resourceapi.DeviceAttribute{VersionValue: ptr.To(m.of("1.2.3", "1.10.0", "2.0.0-rc.1", "1.2.3+build"))})
	put(50, "ready", resourceapi.DeviceAttribute{BoolValue: ptr.To(m.chance(70))})
	put(5, "a.example.com/hidden", resourceapi.DeviceAttribute{BoolValue: ptr.To(true)})
	if m.lists {
		put(30, "resource.kubernetes.io/numaNode", resourceapi.DeviceAttribute{IntValues: [][]int64{{0}, {0, 1}, {1, 2}, {1, 1}}[m.Intn(4)]})
		put(20, model, resourceapi.DeviceAttribute{StringValues: [][]string{{"m0"}, {"m0", "m1"}, {"m2"}}[m.Intn(3)]})
	}
}

func (m maker) consume(device *resourceapi.Device) {
	for i := range 2 {
		if !m.chance(60) {
			continue
		}
		use := resourceapi.DeviceCounterConsumption{CounterSet: fmt.Sprint("set-", i), Counters: map[string]resourceapi.Counter{"memory": {Value: m.quantity("1", "2", "4", "1250m")}}}
		if m.chance(40) {
			use.Counters["slots"] = resourceapi.Counter{Value: resource.MustParse("1")}
		}
		if m.chance(1) {
			use.CounterSet = "nosuch"
		}
		if m.groups && m.chance(70) {
			use.CompatibilityGroups = [][]string{{"g0"}, {"g1"}, {"g0", "g1"}, {"g1", "g2"}}[m.Intn(4)]
		}
		device.ConsumesCounters = append(device.ConsumesCounters, use)
	}
}

func (m maker) deviceCapacity() resourceapi.DeviceCapacity {
	c := resourceapi.DeviceCapacity{Value: m.quantity("8", "10", "16Gi", "7500m")}
	some := func(text string) *resource.Quantity { return ptr.To(resource.MustParse(text)) }
	switch m.Intn(5) {
	case 0:
		c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: some("2"), ValidRange: &resourceapi.CapacityRequestPolicyRange{
			Min: some("2"), Step: maybe(m.dice, 70, resource.MustParse("2")), Max: maybe(m.dice, 50, resource.MustParse("6"))}}
	case 1:
		c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: some("1"), ValidValues: []resource.Quantity{*some("1"), *some("4"), *some("8")}}
	case 2:
		c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: some("500m"), ValidRange: &resourceapi.CapacityRequestPolicyRange{
			Min: some("500m"), Step: some(m.of("250m", "1", "300m"))}}
	case 3:
		c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: maybe(m.dice, 50, resource.MustParse("3"))}
	}
	return c
}

// Some of the devices are in use.
func (m maker) use(world *wire.Request) {
	seen := map[wire.DeviceRef]bool{}
	for _, slice := range world.Slices {
		for _, device := range slice.Spec.Devices {
			ref := wire.DeviceRef{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: device.Name}
			if seen[ref] || !m.chance(12) {
				continue
			}
			seen[ref] = true
			if !ptr.Deref(device.AllowMultipleAllocations, false) {
				world.AllocatedDevices = append(world.AllocatedDevices, ref)
				continue
			}
			if m.chance(80) {
				use := wire.DeviceUse{DeviceRef: ref, Capacity: map[string]resource.Quantity{"memory": m.quantity("1", "4", "8", "500m")}}
				world.AggregatedCapacity = append(world.AggregatedCapacity, use)
			}
			ref.ShareID = fmt.Sprintf("00000000-0000-0000-0000-%012d", len(seen))
			world.AllocatedShares = append(world.AllocatedShares, ref)
		}
	}
}
