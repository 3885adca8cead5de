package cel

// Added to a copy of Kubernetes' package: gives the same selectors to it and to the process under
// test.

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/internal/wire"
	"k8s.io/utils/ptr"
)

var seed = flag.Int64("seed", 1, "of the first random expression or device")

// What the allocator appends to the text of an error, and the process under test with it.
const hint = ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields"

var both = []environment.Type{environment.NewExpressions, environment.StoredExpressions}

// question is a selector, a device, and the enabled features.
type question struct {
	expression string
	device     wire.Device
	env        environment.Type
	features   Features
}

func (q question) ask(t *testing.T) wire.Answer {
	t.Helper()
	request := wire.Request{ID: t.Name(), Kind: "selector", Environment: string(q.env), Expression: q.expression, Device: &q.device}
	if q.features.EnableListTypeAttributes {
		request.Features = append(request.Features, "DRAListTypeAttributes")
	}
	if q.features.EnableConsumableCapacity {
		request.Features = append(request.Features, "DRAConsumableCapacity")
	}
	answer, err := wire.Judged.Ask(request)
	if err != nil {
		t.Fatalf("%s: %v", q.expression, err)
	}
	return answer
}

// compare asks both for the verdict, error texts and costs, and returns the kind of Kubernetes'
// verdict.
func (q question) compare(t *testing.T) string {
	t.Helper()
	compiled, ok := q.compile()
	if !ok {
		return "crash Kubernetes' compiler"
	}
	got := q.ask(t)
	if compiled.Error != nil {
		q.compareError(t, "compile", compiled.Error, got.CompileError, got)
		return "refused"
	}
	match, details, err := compiled.DeviceMatches(t.Context(), Device{Driver: q.device.Driver, AllowMultipleAllocations: q.device.AllowMultipleAllocations,
		Attributes: q.device.Attributes, Capacity: q.device.Capacity})
	if got.MaxCost != nil && *got.MaxCost != compiled.MaxCost {
		t.Errorf("%s\nwant at most cost %d\ngot %s", q.expression, compiled.MaxCost, show(got))
	}
	hasPanicked := err != nil && strings.HasPrefix(err.Error(), "internal error: ")
	if cost := ptr.Deref(details.ActualCost(), 0); !overMap(q.expression) && !hasPanicked && got.ActualCost != nil && *got.ActualCost != cost {
		t.Errorf("%s\nwant cost %d\ngot %s", q.expression, cost, show(got))
	}
	if err != nil {
		q.compareError(t, "run-time", err, strings.TrimSuffix(got.RuntimeError, hint), got)
		return "fail"
	}
	if got.Match == nil || *got.Match != match {
		t.Errorf("%s\nwant %v\ngot %s", q.expression, match, show(got))
	}
	return fmt.Sprint(match)
}

func (q question) compareError(t *testing.T, kind string, want error, text string, got wire.Answer) {
	t.Helper()
	if text == "" || !overMap(q.expression) && comparable(text) != comparable(want.Error()) {
		t.Errorf("%s\nwant %s error %q\ngot %s", q.expression, kind, want, show(got))
	}
}

// Of several errors, only the first, and of a syntax error its position: how cel-go reads the rest
// of the text depends on its recovery.
func comparable(text string) string {
	first, _, _ := strings.Cut(text, "\nERROR: ")
	place, _, _ := strings.Cut(first, "Syntax error")
	return place
}

// cel-go's validator of literals crashes on some lists of optionals.
func (q question) compile() (result CompilationResult, ok bool) {
	defer func() { ok = recover() == nil }()
	return GetCompiler(q.features).CompileCELExpression(q.expression, Options{EnvType: &q.env}), true
}

// A loop over a map has no order, so neither its cost nor its first error is determined.
var (
	loop    = regexp.MustCompile(`\.(all|exists|exists_one|existsOne|map|filter|transform\w+)\(`)
	mapLoop = regexp.MustCompile(`(attributes|capacity)(\[[^\]]+\])?` + loop.String())
)

func overMap(expression string) bool {
	return mapLoop.MatchString(expression) || strings.Contains(expression, "{") && loop.MatchString(expression)
}

func show(a wire.Answer) string {
	switch {
	case a.CompileError != "":
		return fmt.Sprintf("compile error %q", a.CompileError)
	case a.RuntimeError != "":
		return fmt.Sprintf("run-time error %q, cost %d of %d", a.RuntimeError, ptr.Deref(a.ActualCost, 0), ptr.Deref(a.MaxCost, 0))
	}
	return fmt.Sprintf("%v, cost %d of %d", ptr.Deref(a.Match, false), ptr.Deref(a.ActualCost, 0), ptr.Deref(a.MaxCost, 0))
}

// TestSelectors runs Kubernetes' own table.
func TestSelectors(t *testing.T) {
	for name, tc := range testcases {
		envs, all := both, []Features{{}, {EnableListTypeAttributes: true}, {EnableConsumableCapacity: true}, {EnableListTypeAttributes: true, EnableConsumableCapacity: true}}
		if tc.features != nil {
			all = []Features{*tc.features}
		}
		if tc.envType != nil {
			envs = []environment.Type{*tc.envType}
		}
		for _, features := range all {
			for _, env := range envs {
				t.Run(fmt.Sprintf("%s/%+v/%s", name, features, env), func(t *testing.T) {
					q := question{tc.expression, wire.Device{Driver: tc.driver, AllowMultipleAllocations: tc.allowMultipleAllocations, Attributes: tc.attributes, Capacity: tc.capacity}, env, features}
					got := q.ask(t)
					switch {
					case tc.expectCompileError != "" && strings.Contains(got.CompileError, tc.expectCompileError):
					case tc.expectCompileError != "":
						t.Errorf("want compile error %q, got %s", tc.expectCompileError, show(got))
					case got.MaxCost != nil && *got.MaxCost != tc.expectCost:
						t.Errorf("want cost %d, got %s", tc.expectCost, show(got))
					case tc.expectMatchError != "" && got.RuntimeError != "" && strings.Contains(got.RuntimeError, tc.expectMatchError):
					case tc.expectMatchError != "":
						t.Errorf("want run-time error %q, got %s", tc.expectMatchError, show(got))
					case got.Match == nil || *got.Match != tc.expectMatch:
						t.Errorf("want %v, got %s", tc.expectMatch, show(got))
					case got.ActualCost != nil && *got.ActualCost > tc.expectCost:
						t.Errorf("it cost more than it may: %s", show(got))
					}
				})
			}
		}
	}
}
