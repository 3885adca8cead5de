// The driver of Kubernetes SIG Node, dra-example-driver, runs unmodified beside this program and
// publishes the devices of a node.
package main

import (
	"context"
	"fmt"
	"sort"
	"time"

	core "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"clients/internal/say"
)

const (
	node   = "published"
	driver = "gpu.example.com"
)

func valueOf(attribute resource.DeviceAttribute) string {
	switch {
	case attribute.IntValue != nil:
		return fmt.Sprint(*attribute.IntValue)
	case attribute.StringValue != nil:
		return *attribute.StringValue
	case attribute.VersionValue != nil:
		return "version " + *attribute.VersionValue
	}
	return "another type"
}

// A published device, on one line; its UUID depends on the node's name.
func shown(device resource.Device) string {
	var attributes []string
	for name, value := range device.Attributes {
		attributes = append(attributes, fmt.Sprintf("%s=%s", name, valueOf(value)))
	}
	sort.Strings(attributes)
	memory := device.Capacity["memory"]
	return fmt.Sprintf("%s %v memory %s", device.Name, attributes, memory.Value.String())
}

func main() {
	client := kubernetes.NewForConfigOrDie(say.Config())
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	defer cancel()
	made := say.Must(client.CoreV1().Nodes().Create(ctx, &core.Node{ObjectMeta: meta.ObjectMeta{Name: node}}, meta.CreateOptions{}))
	var slices []resource.ResourceSlice
	say.Until(ctx, "the driver published its slice", func(ctx context.Context) (bool, error) {
		selected := meta.ListOptions{FieldSelector: "spec.nodeName=" + node + ",spec.driver=" + driver}
		list, err := client.ResourceV1().ResourceSlices().List(ctx, selected)
		slices = list.Items
		return len(slices) == 1, err
	})
	slice := slices[0]
	say.Line("pool %s of %d slice, owned by the node: %v", slice.Spec.Pool.Name, slice.Spec.Pool.ResourceSliceCount,
		slice.OwnerReferences[0].UID == made.UID)
	for _, device := range slice.Spec.Devices {
		say.Line("%s", shown(device))
	}
	say.Line("done")
}
