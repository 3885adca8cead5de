// The reference: Kubernetes' own allocator and selectors behind the judge's protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/internal/wire"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/dynamic-resource-allocation/structured/internal"
	"k8s.io/utils/ptr"
)

type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Group: "resource.k8s.io", Resource: "deviceclass"}, name)
}

func features(names []string) structured.Features {
	has := sets.New(names...).Has
	return structured.Features{
		AdminAccess:             has("DRAAdminAccess"),
		CompatibilityGroups:     has("DRADeviceCompatibilityGroups"),
		ConsumableCapacity:      has("DRAConsumableCapacity"),
		DerivedAttributes:       has("DRADerivedAttributes"),
		DeviceBindingAndStatus:  has("DRADeviceBindingConditions+DRAResourceClaimDeviceStatus"),
		DeviceTaints:            has("DRADeviceTaints"),
		FractionalCapacityRange: has("DRAFractionalCapacityRange"),
		ListTypeAttributes:      has("DRAListTypeAttributes"),
		OptionalNodeOperations:  has("DRAOptionalNodeOperations"),
		PartitionableDevices:    has("DRAPartitionableDevices"),
		PrioritizedList:         has("DRAPrioritizedList"),
	}
}

func allocated(r wire.Request) structured.AllocatedState {
	id := func(d wire.DeviceRef) structured.DeviceID { return structured.MakeDeviceID(d.Driver, d.Pool, d.Device) }
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, d := range r.AllocatedDevices {
		state.AllocatedDevices.Insert(id(d))
	}
	for _, d := range r.AllocatedShares {
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id(d), ptr.To(types.UID(d.ShareID))))
	}
	for _, d := range r.AggregatedCapacity {
		used := structured.ConsumedCapacity{}
		for name, q := range d.Capacity {
			used[resourceapi.QualifiedName(name)] = &q
		}
		state.AggregatedCapacity[id(d.DeviceRef)] = used
	}
	return state
}

func newAllocator(ctx context.Context, r wire.Request) (structured.Allocator, error) {
	f := features(r.Features)
	cache := cel.NewCache(10, cel.Features{EnableConsumableCapacity: f.ConsumableCapacity, EnableListTypeAttributes: f.ListTypeAttributes})
	return structured.NewAllocator(ctx, f, allocated(r), classes(r.Classes), r.Slices, cache)
}

func allocate(r wire.Request) wire.Answer {
	ctx := context.Background()
	if r.TimeoutMs != nil {
		limited, cancel := context.WithTimeout(ctx, time.Duration(*r.TimeoutMs)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	if r.Node == nil {
		r.Node = &v1.Node{}
	}
	allocator, err := newAllocator(ctx, r)
	if err != nil {
		return wire.Answer{Error: err.Error()}
	}
	results, err := allocator.Allocate(ctx, r.Node, r.Claims)
	answer := wire.Answer{Results: results}
	if err != nil {
		answer.Error = err.Error()
		answer.OnlyThisNode = errors.Is(err, structured.ErrFailedAllocationOnNode)
		answer.Interrupted = ctx.Err() != nil && errors.Is(err, ctx.Err())
	}
	if counting, ok := allocator.(internal.AllocatorExtended); ok {
		answer.Steps = ptr.To(counting.GetStats().NumAllocateOneInvocations)
	}
	return answer
}

func compile(r wire.Request) cel.CompilationResult {
	f := features(r.Features)
	env := environment.Type(r.Environment)
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: f.ConsumableCapacity, EnableListTypeAttributes: f.ListTypeAttributes})
	return compiler.CompileCELExpression(r.Expression, cel.Options{EnvType: &env})
}

func deviceOf(r wire.Request) cel.Device {
	return cel.Device{Driver: r.Device.Driver, AllowMultipleAllocations: r.Device.AllowMultipleAllocations,
		Attributes: r.Device.Attributes, Capacity: r.Device.Capacity}
}

func selector(r wire.Request) wire.Answer {
	compiled := compile(r)
	if compiled.Error != nil {
		return wire.Answer{CompileError: compiled.Error.Error()}
	}
	match, details, err := compiled.DeviceMatches(context.Background(), deviceOf(r))
	answer := wire.Answer{MaxCost: &compiled.MaxCost, ActualCost: details.ActualCost()}
	if err != nil {
		answer.RuntimeError = err.Error()
	} else {
		answer.Match = &match
	}
	return answer
}

func answer(r wire.Request) wire.Answer {
	switch {
	case r.Measure != nil:
		return wire.Answer{Figures: measure(r)}
	case r.Kind == "allocate":
		return allocate(r)
	default:
		return selector(r)
	}
}

func main() {
	scanner := wire.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	for scanner.Scan() {
		var r wire.Request
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			fmt.Fprintln(os.Stderr, "bad request:", err)
			os.Exit(1)
		}
		a := answer(r)
		a.ID = r.ID
		line, err := wire.Marshal(a)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bad answer:", err)
			os.Exit(1)
		}
		_, _ = out.Write(append(line, '\n'))
		_ = out.Flush()
	}
}
