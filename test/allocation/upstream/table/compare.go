package allocatortesting

// Added to a copy of Kubernetes' table of allocator cases: results are compared in order and by
// value, however a quantity is written, and the number of steps may be smaller.

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/onsi/gomega"
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// allocationResult replaces the table's matcher, which ignores order.
func allocationResult(selector *v1.NodeSelector, results ...resourceapi.DeviceRequestAllocationResult) any {
	return resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: results}, NodeSelector: selector}
}

// Text is the value of results, one per line.
func Text(results []resourceapi.AllocationResult) string {
	var lines []string
	for _, result := range results {
		lines = append(lines, text(*result.DeepCopy()))
	}
	return strings.Join(lines, "\n")
}

func text(result resourceapi.AllocationResult) string {
	consumed := []map[string]string{}
	for i := range result.Devices.Results {
		device := &result.Devices.Results[i]
		amounts := map[string]string{}
		for name, q := range device.ConsumedCapacity {
			amount, _ := new(big.Rat).SetString(q.AsDec().String())
			amounts[string(name)] = amount.RatString()
		}
		consumed = append(consumed, amounts)
		device.ConsumedCapacity = nil
		if device.ShareID != nil {
			*device.ShareID = "share"
		}
	}
	written, _ := json.Marshal(result)
	var value any
	_ = json.Unmarshal(written, &value) // so that raw JSON in it has one form, too
	all, _ := json.Marshal([]any{value, consumed})
	return string(all)
}

func compareResults(g *gomega.WithT, got []resourceapi.AllocationResult, expected []any) {
	var want []resourceapi.AllocationResult
	for _, e := range expected {
		want = append(want, e.(resourceapi.AllocationResult))
	}
	g.Expect(Text(got)).To(gomega.Equal(Text(want)))
}

func compareSteps(g *gomega.WithT, got, want int64) {
	g.Expect(got).To(gomega.BeNumerically("<=", want))
}
