package cel

import (
	"flag"
	"fmt"
	"math/rand"
	"regexp"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/internal/wire"
	"k8s.io/utils/ptr"
)

var expressions = flag.Int("expressions", 100, "how many random expressions")

// TestExpressions evaluates random expressions, most of them well typed, on random devices.
func TestExpressions(t *testing.T) {
	counts := map[string]int{}
	for i := range int64(*expressions) {
		w := writer{rand.New(rand.NewSource(*seed + i))}
		features := Features{EnableConsumableCapacity: w.Intn(4) > 0, EnableListTypeAttributes: w.Intn(3) == 0}
		q := question{w.write("bool", 1+w.Intn(4)), w.device(), both[w.Intn(2)], features}
		t.Run(fmt.Sprint("seed ", *seed+i), func(t *testing.T) { counts[q.compare(t)]++ })
	}
	fmt.Printf("COUNTS %v\n", counts)
}

// Expressions without parts, and forms whose parts in braces are expanded in turn.
type grammar struct{ leaves, forms []string }

var grammars = map[string]grammar{
	"bool": {
		[]string{`true`, `false`, `device.allowMultipleAllocations`, `{own}.ready`, `has({own}.index)`, `"b.example.com" in device.attributes`, `device.driver == "a.example.com"`},
		[]string{`({bool} && {bool})`, `({bool} || {bool})`, `({bool} && {dyn})`, `!{bool}`, `({bool} ? {bool} : {bool})`, `({int} {order} {int})`, `({string} {order} {string})`,
			`({double} {order} {double})`, `({uint} {order} {uint})`, `({time} {order} {time})`, `({duration} {order} {duration})`, `({dyn} {order} {dyn})`, `({dyn} == {int})`,
			`({dyn} != {version})`, `({version} == {dyn})`, `({quantity} == {quantity})`, `{string}.startsWith({string})`, `{string}.endsWith({string})`, `{string}.contains({string})`,
			`{string}.matches({regex})`, `{quantity}.isGreaterThan({quantity})`, `{quantity}.isLessThan({quantity})`, `{version}.isLessThan({version})`,
			`{ints}.all(x, x {order} {int})`, `{ints}.exists(x, {int} / x > 1)`, `{ints}.exists_one(x, x {order} {int})`, `{strings}.exists(i, s, s == {string} && i > {int})`,
			`({int} in {ints})`, `({dyn} in {ints})`, `({string} in {strings})`, `({strings} == {strings})`, `isQuantity({string})`, `isSemver({string})`, `isIP({string})`, `isURL({string})`,
			`{map}.all(k, {map}[k] > {int})`, `({string} in {map})`, `has({own}.{name})`, `{own}.?{name}.hasValue()`, `sets.contains({ints}, {ints})`, `sets.intersects({strings}, {strings})`,
			`{ints}.isSorted()`, `cel.bind(v, {int}, v * v {order} {int})`, `{optional}.hasValue()`, `({optional} == {optional})`, `(type({dyn}) == type({dyn}))`},
	},
	"int": {
		[]string{`0`, `1`, `-3`, `7`, `9223372036854775807`, `{own}.index`, `device.driver.size()`},
		[]string{`({int} + {int})`, `({int} - {int})`, `({int} * {int})`, `({int} / {int})`, `({int} % {int})`, `-{int}`, `{string}.indexOf({string})`, `{string}.lastIndexOf({string})`,
			`size({string})`, `{ints}.size()`, `{ints}.sum()`, `{ints}.max()`, `{ints}.min()`, `{ints}.indexOf({int})`, `int({double})`, `int({string})`, `int({uint})`, `{quantity}.asInteger()`,
			`sign({quantity})`, `{version}.minor()`, `{version}.compareTo({version})`, `{quantity}.compareTo({quantity})`, `{time}.getFullYear()`, `{time}.getDayOfYear("Europe/Berlin")`,
			`{duration}.getSeconds()`, `{ints}[{int}]`, `{map}[{string}]`, `{optional}.orValue({int})`, `{optional}.value()`, `({bool} ? {int} : {int})`},
	},
	"uint": {
		[]string{`0u`, `5u`, `18446744073709551615u`},
		[]string{`({uint} + {uint})`, `({uint} - {uint})`, `({uint} / {uint})`, `uint({int})`, `uint({double})`},
	},
	"double": {
		[]string{`0.0`, `1.5`, `-2.25`, `1e300`},
		[]string{`({double} + {double})`, `({double} * {double})`, `({double} / {double})`, `double({int})`, `double({string})`, `{quantity}.asApproximateFloat()`},
	},
	"string": {
		[]string{`"m0"`, `"A"`, `""`, `"é"`, `"1.2.3"`, `"4Gi"`, `"10.0.0.1"`, `'x"\n'`, `device.driver`, `{own}.model`},
		[]string{`({string} + {string})`, `{string}.lowerAscii()`, `{string}.upperAscii()`, `{string}.trim()`, `{string}.substring({int})`, `{string}.substring({int}, {int})`, `{string}.charAt({int})`,
			`{string}.replace({string}, {string})`, `string({int})`, `string({double})`, `string({bool})`, `string({duration})`, `string({time})`, `{own}.?model.orValue({string})`,
			`({bool} ? {string} : {string})`, `{strings}.join({string})`, `{string}.find({regex})`, `"%s is %d".format([{dyn}, {int}])`, `strings.quote({string})`, `{strings}[{int}]`},
	},
	"quantity": {
		[]string{`quantity("4Gi")`, `quantity("1500m")`, `quantity("0")`, `quantity("-1e3")`, `device.capacity["a.example.com"].memory`, `device.capacity[device.driver].nosuch`},
		[]string{`quantity({string})`, `{quantity}.add({quantity})`, `{quantity}.add({int})`, `{quantity}.sub({quantity})`},
	},
	"version": {
		[]string{`semver("1.2.3")`, `semver("1.10.0-rc.1")`, `semver("v2", true)`, `{own}.version`},
		[]string{`semver({string})`, `semver({string}, true)`},
	},
	"time": {
		[]string{`timestamp("2026-11-25T12:00:00Z")`, `timestamp("0001-01-01T00:00:00Z")`, `timestamp("9999-12-31T23:59:59.5Z")`},
		[]string{`({time} + {duration})`, `({time} - {duration})`, `timestamp({int})`},
	},
	"duration": {
		[]string{`duration("1h30m")`, `duration("-1.5s")`, `duration("2562047h")`},
		[]string{`({duration} + {duration})`, `({duration} - {duration})`, `({time} - {time})`, `duration({string})`},
	},
	"ints": {
		[]string{`[1, 2, 3]`, `[0]`, `[7, 7]`, `lists.range(4)`, `[0].slice(1, 1)`},
		[]string{`[{int}, {int}]`, `{ints}.filter(x, x > {int})`, `{ints}.map(x, x + {int})`, `({ints} + {ints})`, `{ints}.sort()`, `{ints}.distinct()`, `{ints}.slice({int}, {int})`, `{ints}.sortBy(x, -x)`,
			`[[{int}], {ints}].flatten()`, `{map}.transformList(k, v, v).sort()`, `[?{optional}]`, `lists.range({int} % 9)`, `{ints}.reverse()`},
	},
	"strings": {
		[]string{`["m0", "A"]`, `"a,b".split(",")`},
		[]string{`[{string}, {string}]`, `{string}.split({string})`, `{string}.findAll({regex})`, `{ints}.map(x, string(x))`, `{strings}.sort()`},
	},
	"map": {
		[]string{`{"a": 1, "m0": 2}`, `{"A": 7}`},
		[]string{`{{string}: {int}}`, `{map}.transformMap(k, v, v + {int})`, `{strings}.transformMapEntry(i, s, {s: i})`, `{?{string}: {optional}}`},
	},
	"optional": {
		[]string{`optional.of(1)`, `optional.none()`, `optional.ofNonZeroValue(0)`},
		[]string{`optional.of({int})`, `{optional}.or({optional})`, `{optional}.optMap(x, x * {int})`, `{optional}.optFlatMap(x, {optional})`, `{map}[?{string}]`, `{ints}.first()`, `{ints}[?{int}]`},
	},
	"dyn": {
		[]string{`{own}.index`, `{own}["model"]`, `device.attributes[device.driver].version`, `device.attributes["b.example.com"].ready`, `device.attributes["nosuch.example.com"].x`, `dyn(null)`},
		[]string{`dyn({int})`, `dyn({uint})`, `dyn({string})`, `dyn({bool})`, `dyn({double})`, `dyn({version})`, `dyn({quantity})`, `dyn({ints})`, `dyn({map})`, `{own}.?{name}.orValue({int})`, `dyn({ints})[{dyn}]`,
			`({dyn} + {dyn})`},
	},
	"order": {[]string{`<`, `<=`, `>`, `>=`, `==`, `!=`}, nil},
	"own":   {[]string{`device.attributes["a.example.com"]`}, nil},
	"name":  {[]string{`model`, `index`, `nosuch`, `ready`}, nil},
	"regex": {[]string{`"^m[0-9]+$"`, `"(?i)A"`, `".*"`, `"x{2,}"`, `"["`, `"(?=a)"`, `"(a|b)"`}, nil},
}

type writer struct{ *rand.Rand }

var part = regexp.MustCompile(`\{[a-z]+\}`)

// An expression of about that type; occasionally a part has another one.
func (w writer) write(kind string, depth int) string {
	if depth > 0 && len(grammars[kind].forms) > 0 && w.Intn(100) < 3 {
		kind = []string{"bool", "int", "string", "dyn"}[w.Intn(4)]
	}
	form, g := "", grammars[kind]
	if depth <= 0 || len(g.forms) == 0 {
		form = g.leaves[w.Intn(len(g.leaves))]
	} else {
		form = g.forms[w.Intn(len(g.forms))]
	}
	return part.ReplaceAllStringFunc(form, func(part string) string {
		if _, ok := grammars[part[1:len(part)-1]]; !ok {
			return part // braces of the language
		}
		return w.write(part[1:len(part)-1], depth-1)
	})
}

func (w writer) device() wire.Device {
	of := func(words ...string) string { return words[w.Intn(len(words))] }
	device := wire.Device{Driver: of("a.example.com", "b.example.com"), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}}
	other := map[string]string{"a.example.com": "b.example.com", "b.example.com": "a.example.com"}[device.Driver]
	// In this order, so that a seed determines a device.
	for _, attribute := range []struct {
		name  string
		value resourceapi.DeviceAttribute
	}{
		{"model", resourceapi.DeviceAttribute{StringValue: ptr.To(of("m0", "A", "é x"))}},
		{"index", resourceapi.DeviceAttribute{IntValue: ptr.To(int64(w.Intn(8) - 3))}},
		{"version", resourceapi.DeviceAttribute{VersionValue: ptr.To(of("1.2.3", "1.10.0", "2.0.0+b"))}},
		{"ready", resourceapi.DeviceAttribute{BoolValue: ptr.To(w.Intn(2) == 0)}},
		{other + "/index", resourceapi.DeviceAttribute{IntValue: ptr.To(int64(w.Intn(3)))}},
		{other + "/ready", resourceapi.DeviceAttribute{StringValue: ptr.To("yes")}},
	} {
		if w.Intn(10) < 8 {
			device.Attributes[resourceapi.QualifiedName(attribute.name)] = attribute.value
		}
	}
	if w.Intn(10) < 8 {
		device.Capacity["memory"] = resourceapi.DeviceCapacity{Value: resource.MustParse(of("4Gi", "10", "1500m"))}
	}
	if w.Intn(2) == 0 {
		device.AllowMultipleAllocations = ptr.To(w.Intn(2) == 0)
	}
	return device
}
