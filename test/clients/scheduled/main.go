// A driver's node with devices, and pods with claims for them: kube-scheduler, which runs beside
// this program, allocates, reserves and binds.
package main

import (
	"context"
	"fmt"
	"time"

	core "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"clients/internal/say"
)

const (
	namespace = "scheduled"
	driver    = "scheduled.example.com"
	node      = "node-of-gpus"
)

func device(name, model string) resource.Device {
	return resource.Device{
		Name:       name,
		Attributes: map[resource.QualifiedName]resource.DeviceAttribute{"model": {StringValue: &model}},
		Capacity:   map[resource.QualifiedName]resource.DeviceCapacity{"memory": {Value: quantity.MustParse("40Gi")}},
	}
}

func driverObjects(ctx context.Context, client kubernetes.Interface) {
	made := say.Must(client.CoreV1().Nodes().Create(ctx, &core.Node{ObjectMeta: meta.ObjectMeta{Name: node}}, meta.CreateOptions{}))
	made.Status.Capacity = core.ResourceList{"cpu": quantity.MustParse("4"), "memory": quantity.MustParse("8Gi"), "pods": quantity.MustParse("10")}
	made.Status.Allocatable = made.Status.Capacity
	made.Status.Conditions = []core.NodeCondition{{Type: core.NodeReady, Status: core.ConditionTrue}}
	made = say.Must(client.CoreV1().Nodes().UpdateStatus(ctx, made, meta.UpdateOptions{}))
	made.Spec.Taints = nil
	say.Must(client.CoreV1().Nodes().Update(ctx, made, meta.UpdateOptions{}))
	nodeName := node
	say.Must(client.ResourceV1().ResourceSlices().Create(ctx, &resource.ResourceSlice{
		ObjectMeta: meta.ObjectMeta{Name: "slice-of-gpus"},
		Spec: resource.ResourceSliceSpec{
			Driver: driver, NodeName: &nodeName,
			Pool:    resource.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
			Devices: []resource.Device{device("small", "s"), device("large", "l")},
		},
	}, meta.CreateOptions{}))
	say.Must(client.ResourceV1().DeviceClasses().Create(ctx, &resource.DeviceClass{
		ObjectMeta: meta.ObjectMeta{Name: driver},
		Spec: resource.DeviceClassSpec{Selectors: []resource.DeviceSelector{{
			CEL: &resource.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == '%s'", driver)}}}},
	}, meta.CreateOptions{}))
}

func podWithClaim(ctx context.Context, client kubernetes.Interface, name, expression string) {
	claim := &resource.ResourceClaim{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: resource.ResourceClaimSpec{Devices: resource.DeviceClaim{Requests: []resource.DeviceRequest{{
			Name: "gpu", Exactly: &resource.ExactDeviceRequest{DeviceClassName: driver,
				Selectors: []resource.DeviceSelector{{CEL: &resource.CELDeviceSelector{Expression: expression}}}},
		}}}},
	}
	say.Must(client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, meta.CreateOptions{}))
	say.Must(client.CoreV1().Pods(namespace).Create(ctx, &core.Pod{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: core.PodSpec{
			Containers:     []core.Container{{Name: "c", Image: "image:1"}},
			ResourceClaims: []core.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}},
		},
	}, meta.CreateOptions{}))
}

func main() {
	client := kubernetes.NewForConfigOrDie(say.Config())
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Second)
	defer cancel()
	say.Namespace(ctx, client, namespace)
	driverObjects(ctx, client)
	podWithClaim(ctx, client, "one", "device.attributes['scheduled.example.com'].model == 'l'")
	pods, claims := client.CoreV1().Pods(namespace), client.ResourceV1().ResourceClaims(namespace)
	say.Until(ctx, "one is bound", func(ctx context.Context) (bool, error) {
		pod, err := pods.Get(ctx, "one", meta.GetOptions{})
		return err == nil && pod.Spec.NodeName == node, err
	})
	claim := say.Must(claims.Get(ctx, "one", meta.GetOptions{}))
	result := claim.Status.Allocation.Devices.Results[0]
	say.Line("%s of %s in %s for %s", result.Device, result.Driver, result.Pool, result.Request)
	say.Line("reserved for %s %s", claim.Status.ReservedFor[0].Resource, claim.Status.ReservedFor[0].Name)
	podWithClaim(ctx, client, "two", "device.attributes['scheduled.example.com'].model == 'l'")
	say.Until(ctx, "two finds no device", func(ctx context.Context) (bool, error) {
		pod, err := pods.Get(ctx, "two", meta.GetOptions{})
		if err != nil || len(pod.Status.Conditions) == 0 {
			return false, err
		}
		return pod.Status.Conditions[0].Reason == core.PodReasonUnschedulable, nil
	})
	say.Until(ctx, "an event says so", func(ctx context.Context) (bool, error) {
		events, err := client.CoreV1().Events(namespace).List(ctx, meta.ListOptions{FieldSelector: "involvedObject.name=two,reason=FailedScheduling"})
		return err == nil && len(events.Items) > 0, err
	})
	say.Line("done")
}
