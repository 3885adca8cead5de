package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/internal/wire"
)

// A figure is the mean of as many calls as fit into this time.
const measured = 300 * time.Millisecond

func measure(r wire.Request) *wire.Figures {
	switch {
	case r.Measure.What == "memory":
		return &wire.Figures{Bytes: memoryOf(r)}
	case r.Kind == "selector":
		return measureSelector(r)
	default:
		return measureNodes(r)
	}
}

// The growth of the heap when the slices are decoded.
func memoryOf(r wire.Request) uint64 {
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	text, err := json.Marshal(r.Slices)
	if err != nil {
		panic(err)
	}
	var slices []*resourceapi.ResourceSlice
	before := inUse()
	if err := json.Unmarshal(text, &slices); err != nil {
		panic(err)
	}
	after := inUse()
	runtime.KeepAlive(slices)
	runtime.KeepAlive(text)
	return after - before
}

func mean(once bool, question func()) float64 {
	begin, count := time.Now(), 0
	for count == 0 || !once && time.Since(begin) < measured {
		question()
		count++
	}
	return float64(time.Since(begin).Nanoseconds()) / float64(count)
}

func measureSelector(r wire.Request) *wire.Figures {
	compiled, device := compile(r), deviceOf(r)
	return &wire.Figures{Nanoseconds: mean(false, func() {
		if match, _, err := compiled.DeviceMatches(context.Background(), device); err != nil || !match {
			panic(fmt.Sprint("the selector must match: ", err))
		}
	})}
}

// The allocator exists already; like the scheduler, the test asks it about one node after the
// other.
func measureNodes(r wire.Request) *wire.Figures {
	ctx := context.Background()
	allocator, err := newAllocator(ctx, r)
	if err != nil {
		panic(err)
	}
	var nodes []*v1.Node
	for i := range max(r.Measure.Nodes, 1) {
		node := &v1.Node{}
		node.Name = fmt.Sprint("node-", i)
		nodes = append(nodes, node)
	}
	var figures wire.Figures
	figures.Nanoseconds = mean(r.Measure.Once, func() {
		begin, fits := time.Now(), 0
		for _, node := range nodes {
			results, err := allocator.Allocate(ctx, node, r.Claims)
			if err != nil {
				panic(err)
			}
			if len(results) > 0 {
				fits++
			}
			if fits == 1 && len(results) > 0 {
				figures.FirstNanoseconds = float64(time.Since(begin).Nanoseconds())
			}
		}
		figures.Outcome = fmt.Sprintf("fits on %d of %d nodes", fits, len(nodes))
	})
	return &figures
}
