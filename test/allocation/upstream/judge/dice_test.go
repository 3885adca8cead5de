package judge

import (
	"math/rand"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

type dice struct{ *rand.Rand }

func (d dice) chance(percent int) bool { return d.Intn(100) < percent }

func (d dice) of(words ...string) string { return words[d.Intn(len(words))] }

func (d dice) quantity(texts ...string) resource.Quantity { return resource.MustParse(d.of(texts...)) }

// A pointer to the value with that probability, or nil.
func maybe[T any](d dice, percent int, value T) *T {
	if !d.chance(percent) {
		return nil
	}
	return &value
}

// Nodes with some labels; node-0 is in zone z0, rack 7, with a GPU.
func (d dice) nodes() *v1.NodeSelector {
	expression := func(key string, operator v1.NodeSelectorOperator, values ...string) v1.NodeSelectorRequirement {
		return v1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
	}
	expressions := []v1.NodeSelectorRequirement{
		expression("zone", v1.NodeSelectorOpIn, "z0", "z2"), expression("zone", v1.NodeSelectorOpNotIn, "z0"),
		expression("zone", v1.NodeSelectorOpIn, "z1"), expression("gpu", v1.NodeSelectorOpExists),
		expression("gone", v1.NodeSelectorOpDoesNotExist), expression("rack", v1.NodeSelectorOpGt, "6"),
		expression("rack", v1.NodeSelectorOpLt, "7"), expression("nowhere", v1.NodeSelectorOpNotIn, "x"),
	}
	selector := &v1.NodeSelector{}
	for range 1 + d.Intn(2) {
		var term v1.NodeSelectorTerm
		for range 1 + d.Intn(2) {
			term.MatchExpressions = append(term.MatchExpressions, expressions[d.Intn(len(expressions))])
		}
		if d.chance(20) {
			term.MatchFields = []v1.NodeSelectorRequirement{expression("metadata.name", v1.NodeSelectorOpIn, d.of("node-0", "node-1"))}
		}
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, term)
	}
	return selector
}

func selectors(expressions ...string) (all []resourceapi.DeviceSelector) {
	for _, e := range expressions {
		all = append(all, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: e}})
	}
	return all
}

func config(driver, text string) (c resourceapi.DeviceConfiguration) {
	c.Opaque = &resourceapi.OpaqueDeviceConfiguration{Driver: driver}
	c.Opaque.Parameters.Raw = []byte(text)
	return c
}
