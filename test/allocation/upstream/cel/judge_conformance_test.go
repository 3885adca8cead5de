package cel

// CEL's official conformance cases as selectors. Kubernetes' result is expected: for a case whose
// library or message its environment lacks, the same refusal.

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	celpb "cel.dev/expr"
	conformance "cel.dev/expr/conformance/test"
	"google.golang.org/protobuf/encoding/prototext"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/internal/wire"

	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
)

var conformanceFolder = flag.String("conformance", "", "the folder of the cases")

// TestConformance leaves out cases with variables, containers and messages: a selector has none.
func TestConformance(t *testing.T) {
	files, _ := filepath.Glob(*conformanceFolder + "/*.textproto")
	if len(files) == 0 {
		t.Fatalf("there are no cases in %q", *conformanceFolder)
	}
	counts := map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var file conformance.SimpleTestFile
		if err := prototext.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		for _, section := range file.Section {
			for _, c := range section.Test {
				expression, ok := selectorOf(c)
				if !ok {
					counts["left out"]++
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", strings.TrimSuffix(filepath.Base(name), ".textproto"), section.Name, c.Name), func(t *testing.T) {
					q := question{expression, wire.Device{}, environment.StoredExpressions, Features{EnableConsumableCapacity: true}}
					counts[q.compare(t)]++
				})
			}
		}
	}
	fmt.Printf("COUNTS %v\n", counts)
}

// A selector that is true if the case holds.
func selectorOf(c *conformance.SimpleTest) (string, bool) {
	if c.Container != "" || len(c.Bindings) > 0 || len(c.TypeEnv) > 0 || c.CheckOnly {
		return "", false
	}
	expression := "(" + c.Expr + "\n)"
	value := c.GetValue()
	if value == nil && c.GetTypedResult() != nil {
		value = c.GetTypedResult().Result
	}
	if c.GetEvalError() != nil || c.GetAnyEvalErrors() != nil {
		return "dyn" + expression + " == dyn(null)", true
	}
	if value == nil {
		return expression, true
	}
	text, ok := literal(value)
	return "dyn" + expression + " == dyn(" + text + ")", ok
}

// The value as an expression, if it is one.
func literal(v *celpb.Value) (string, bool) {
	switch k := v.GetKind().(type) {
	case *celpb.Value_BoolValue:
		return fmt.Sprint(k.BoolValue), true
	case *celpb.Value_Int64Value:
		if k.Int64Value == math.MinInt64 {
			return "(-9223372036854775807 - 1)", true
		}
		return fmt.Sprintf("(%d)", k.Int64Value), true
	case *celpb.Value_Uint64Value:
		return fmt.Sprintf("%du", k.Uint64Value), true
	case *celpb.Value_DoubleValue:
		return fmt.Sprintf("double(%q)", strconv.FormatFloat(k.DoubleValue, 'g', -1, 64)), true
	case *celpb.Value_StringValue:
		return quoted(k.StringValue), true
	case *celpb.Value_BytesValue:
		text := ""
		for _, b := range k.BytesValue {
			text += fmt.Sprintf("\\x%02x", b)
		}
		return "b\"" + text + "\"", true
	case *celpb.Value_NullValue:
		return "null", true
	case *celpb.Value_ListValue:
		var items []string
		for _, item := range k.ListValue.Values {
			text, ok := literal(item)
			if !ok {
				return "", false
			}
			items = append(items, "dyn("+text+")")
		}
		return "[" + strings.Join(items, ", ") + "]", true
	case *celpb.Value_MapValue:
		var entries []string
		for _, entry := range k.MapValue.Entries {
			key, isKey := literal(entry.Key)
			value, isValue := literal(entry.Value)
			if !isKey || !isValue {
				return "", false
			}
			entries = append(entries, "dyn("+key+"): dyn("+value+")")
		}
		return "{" + strings.Join(entries, ", ") + "}", true
	case *celpb.Value_TypeValue:
		return k.TypeValue, !strings.Contains(k.TypeValue, ".")
	}
	return "", false
}

func quoted(s string) string {
	var text strings.Builder
	for _, r := range s {
		if r < 32 || r > 126 || r == '"' || r == '\\' {
			fmt.Fprintf(&text, "\\U%08x", r)
		} else {
			text.WriteRune(r)
		}
	}
	return "\"" + text.String() + "\""
}
