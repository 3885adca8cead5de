package cel

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/internal/wire"
	"k8s.io/utils/ptr"
)

var corpus = flag.String("corpus", "", "a file of selectors, one a line")

// TestCorpus evaluates selectors as people write them, and others for each corner of the language.
func TestCorpus(t *testing.T) {
	text, err := os.ReadFile(*corpus)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		hash := fnv.New64a()
		hash.Write([]byte(line))
		r := rand.New(rand.NewSource(*seed + int64(hash.Sum64())))
		for i := range 4 {
			q := question{line, deviceFor(r, line), both[i%2], Features{EnableConsumableCapacity: r.Intn(4) > 0, EnableListTypeAttributes: r.Intn(4) == 0}}
			t.Run(fmt.Sprintf("%s, device %d of seed %d", line, i, *seed), func(t *testing.T) { counts[q.compare(t)]++ })
		}
	}
	fmt.Printf("COUNTS %v\n", counts)
}

var (
	attributeName = regexp.MustCompile(`device\.attributes\[["']([\w.-]+)["']\](?:\.\??|\[\??["'])(\w+)`)
	capacityName  = regexp.MustCompile(`device\.capacity\[["']([\w.-]+)["']\](?:\.\??|\[\??["'])(\w+)`)
	driverName    = regexp.MustCompile(`device\.driver == ["']([\w.-]+)["']`)
	literals      = regexp.MustCompile(`'[^']*'|"[^"]*"|\b\d+\b|\btrue\b|\bfalse\b`)
)

// A device with most of the attributes that the selector names, with matching or other values.
func deviceFor(r *rand.Rand, expression string) wire.Device {
	device := wire.Device{Driver: "dra.example.com", Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}}
	if found := driverName.FindStringSubmatch(expression); found != nil && r.Intn(4) > 0 {
		device.Driver = found[1]
	}
	values := append(literals.FindAllString(expression, -1), "7", "true", `"1.2.3"`)
	for _, found := range attributeName.FindAllStringSubmatch(expression, -1) {
		if r.Intn(8) > 0 {
			device.Attributes[resourceapi.QualifiedName(found[1]+"/"+found[2])] = attributeOf(r, values[r.Intn(len(values))])
		}
	}
	for _, found := range capacityName.FindAllStringSubmatch(expression, -1) {
		if r.Intn(8) > 0 {
			device.Capacity[resourceapi.QualifiedName(found[1]+"/"+found[2])] = resourceapi.DeviceCapacity{
				Value: resource.MustParse([]string{"96Gi", "20", "1500m", "40Gi", "0"}[r.Intn(5)])}
		}
	}
	if r.Intn(2) == 0 {
		device.AllowMultipleAllocations = ptr.To(r.Intn(2) == 0)
	}
	return device
}

var threeNumbers = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

func attributeOf(r *rand.Rand, literal string) resourceapi.DeviceAttribute {
	if number, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return resourceapi.DeviceAttribute{IntValue: ptr.To(number + int64(r.Intn(2)))}
	}
	if literal == "true" || literal == "false" {
		return resourceapi.DeviceAttribute{BoolValue: ptr.To((literal == "true") == (r.Intn(4) > 0))}
	}
	text := literal[1 : len(literal)-1]
	if threeNumbers.MatchString(text) && r.Intn(2) == 0 {
		return resourceapi.DeviceAttribute{VersionValue: &text}
	}
	return resourceapi.DeviceAttribute{StringValue: &text}
}
