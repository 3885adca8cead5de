package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/internal/wire"
	"k8s.io/dynamic-resource-allocation/structured/internal"
	"k8s.io/dynamic-resource-allocation/structured/internal/allocatortesting"
)

// judged is the process under test as an allocator of Kubernetes.
type judged struct {
	request wire.Request
	steps   int64
}

func (j *judged) Channel() internal.AllocatorChannel { return "judged" }

func (j *judged) GetStats() internal.Stats { return internal.Stats{NumAllocateOneInvocations: j.steps} }

func (j *judged) Allocate(ctx context.Context, node *v1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	request := j.request
	request.Node, request.Claims = node, claims
	if ctx.Err() != nil {
		request.TimeoutMs = new(int64)
	}
	answer, err := wire.Judged.Ask(request)
	if err != nil {
		return nil, err
	}
	if answer.Steps != nil {
		j.steps = *answer.Steps
	}
	switch {
	case answer.Interrupted:
		return nil, fmt.Errorf("%s: %w", answer.Error, ctx.Err())
	case answer.Error != "" && answer.OnlyThisNode:
		return nil, fmt.Errorf("%s%w", answer.Error, internal.ErrFailedAllocationOnNode)
	case answer.Error != "":
		return nil, errors.New(answer.Error)
	}
	return answer.Results, nil
}

func requestOf(f internal.Features, state internal.AllocatedState, classes []*resourceapi.DeviceClass, resourceSlices []*resourceapi.ResourceSlice) wire.Request {
	request := wire.Request{ID: "table", Kind: "allocate", Features: f.Set().UnsortedList(), Classes: classes, Slices: resourceSlices}
	ref := func(id internal.DeviceID) wire.DeviceRef {
		return wire.DeviceRef{Driver: id.Driver.String(), Pool: id.Pool.String(), Device: id.Device.String()}
	}
	for id := range state.AllocatedDevices {
		request.AllocatedDevices = append(request.AllocatedDevices, ref(id))
	}
	for id := range state.AllocatedSharedDeviceIDs {
		share := wire.DeviceRef{Driver: id.Driver.String(), Pool: id.Pool.String(), Device: id.Device.String(), ShareID: id.ShareID.String()}
		request.AllocatedShares = append(request.AllocatedShares, share)
	}
	for id, used := range state.AggregatedCapacity {
		use := wire.DeviceUse{DeviceRef: ref(id), Capacity: map[string]resource.Quantity{}}
		for name, q := range used {
			use.Capacity[string(name)] = *q
		}
		request.AggregatedCapacity = append(request.AggregatedCapacity, use)
	}
	// The maps have no order; a repeatable request needs one.
	byText := func(a, b wire.DeviceRef) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	slices.SortFunc(request.AllocatedDevices, byText)
	slices.SortFunc(request.AllocatedShares, byText)
	slices.SortFunc(request.AggregatedCapacity, func(a, b wire.DeviceUse) int { return byText(a.DeviceRef, b.DeviceRef) })
	return request
}

// TestTable runs Kubernetes' own cases.
func TestTable(t *testing.T) {
	newAllocator := func(_ context.Context, f internal.Features, state internal.AllocatedState, lister internal.DeviceClassLister,
		resourceSlices []*resourceapi.ResourceSlice, _ *cel.Cache) (internal.Allocator, error) {
		classes, err := lister.List()
		return &judged{request: requestOf(f, state, classes, resourceSlices)}, err
	}
	allocatortesting.TestAllocator(t, internal.FeaturesAll, newAllocator)
	allocatortesting.TestLexicographicalAllocator(t, internal.FeaturesAll, newAllocator)
}
