// A Deployment, a Job, pods with claims made from a template, and a device that breaks: kube-controller-manager, which
// runs beside this program, makes the pods and claims, ends the Job, evicts the pod of the broken device and collects
// what was owned.
package main

import (
	"context"
	"sort"
	"strings"
	"time"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"clients/internal/say"
)

const namespace = "controlled"

func template(labels map[string]string) core.PodTemplateSpec {
	claims := "claims"
	return core.PodTemplateSpec{
		ObjectMeta: meta.ObjectMeta{Labels: labels},
		Spec: core.PodSpec{
			Containers:     []core.Container{{Name: "c", Image: "image:1"}},
			ResourceClaims: []core.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &claims}},
		},
	}
}

func workloads(ctx context.Context, client kubernetes.Interface) {
	say.Must(client.ResourceV1().ResourceClaimTemplates(namespace).Create(ctx, &resource.ResourceClaimTemplate{
		ObjectMeta: meta.ObjectMeta{Name: "claims"},
		Spec: resource.ResourceClaimTemplateSpec{Spec: resource.ResourceClaimSpec{Devices: resource.DeviceClaim{
			Requests: []resource.DeviceRequest{{Name: "gpu", Exactly: &resource.ExactDeviceRequest{DeviceClassName: "c"}}}}}},
	}, meta.CreateOptions{}))
	two, labels := int32(2), map[string]string{"app": "web"}
	say.Must(client.AppsV1().Deployments(namespace).Create(ctx, &apps.Deployment{
		ObjectMeta: meta.ObjectMeta{Name: "web"},
		Spec:       apps.DeploymentSpec{Replicas: &two, Selector: &meta.LabelSelector{MatchLabels: labels}, Template: template(labels)},
	}, meta.CreateOptions{}))
	job := template(map[string]string{"app": "job"})
	job.Spec.RestartPolicy = core.RestartPolicyNever
	say.Must(client.BatchV1().Jobs(namespace).Create(ctx, &batch.Job{
		ObjectMeta: meta.ObjectMeta{Name: "job"}, Spec: batch.JobSpec{Template: job},
	}, meta.CreateOptions{}))
}

// The part of names before the random suffix.
func podsOf(pods []core.Pod) []string {
	var names []string
	for _, pod := range pods {
		if len(pod.Status.ResourceClaimStatuses) == 1 {
			owner := pod.OwnerReferences[0]
			names = append(names, strings.SplitN(pod.Name, "-", 2)[0]+" of a "+owner.Kind)
		}
	}
	sort.Strings(names)
	return names
}

func finish(ctx context.Context, client kubernetes.Interface) {
	pods := say.Must(client.CoreV1().Pods(namespace).List(ctx, meta.ListOptions{LabelSelector: "job-name=job"}))
	pod := &pods.Items[0]
	pod.Status.Phase = core.PodSucceeded
	say.Must(client.CoreV1().Pods(namespace).UpdateStatus(ctx, pod, meta.UpdateOptions{}))
	say.Until(ctx, "the job is complete", func(ctx context.Context) (bool, error) {
		job, err := client.BatchV1().Jobs(namespace).Get(ctx, "job", meta.GetOptions{})
		return err == nil && job.Status.Succeeded == 1 && job.Status.CompletionTime != nil, err
	})
}

const node, driver = "node-of-controlled", "controlled.example.com"

func slice(taints ...resource.DeviceTaint) *resource.ResourceSlice {
	nodeName := node
	return &resource.ResourceSlice{
		ObjectMeta: meta.ObjectMeta{Name: "slice-of-controlled"},
		Spec: resource.ResourceSliceSpec{
			Driver: driver, NodeName: &nodeName,
			Pool:    resource.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
			Devices: []resource.Device{{Name: "gpu", Taints: taints}},
		},
	}
}

// Created as a scheduler would leave them: the claim is allocated, and the pod has its node.
func podWithDevice(ctx context.Context, client kubernetes.Interface) {
	claims, pods, name := client.ResourceV1().ResourceClaims(namespace), client.CoreV1().Pods(namespace), "broken"
	claim := say.Must(claims.Create(ctx, &resource.ResourceClaim{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: resource.ResourceClaimSpec{Devices: resource.DeviceClaim{
			Requests: []resource.DeviceRequest{{Name: "gpu", Exactly: &resource.ExactDeviceRequest{DeviceClassName: "c"}}}}},
	}, meta.CreateOptions{}))
	pod := say.Must(pods.Create(ctx, &core.Pod{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: core.PodSpec{
			NodeName: node, Containers: []core.Container{{Name: "c", Image: "image:1"}},
			ResourceClaims: []core.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}},
		},
	}, meta.CreateOptions{}))
	claim.Status.Allocation = &resource.AllocationResult{Devices: resource.DeviceAllocationResult{
		Results: []resource.DeviceRequestAllocationResult{{Request: "gpu", Driver: driver, Pool: node, Device: "gpu"}}}}
	claim.Status.ReservedFor = []resource.ResourceClaimConsumerReference{{Resource: "pods", Name: name, UID: pod.UID}}
	say.Must(claims.UpdateStatus(ctx, claim, meta.UpdateOptions{}))
}

func breakDevice(ctx context.Context, client kubernetes.Interface) {
	slices, pods := client.ResourceV1().ResourceSlices(), client.CoreV1().Pods(namespace)
	made := say.Must(slices.Create(ctx, slice(), meta.CreateOptions{}))
	podWithDevice(ctx, client)
	broken := slice(resource.DeviceTaint{Key: "example.com/broken", Effect: resource.DeviceTaintEffectNoExecute})
	broken.ResourceVersion = made.ResourceVersion
	say.Must(slices.Update(ctx, broken, meta.UpdateOptions{}))
	say.Until(ctx, "the pod of the broken device is evicted", func(ctx context.Context) (bool, error) {
		pod, err := pods.Get(ctx, "broken", meta.GetOptions{})
		return err == nil && pod.DeletionTimestamp != nil, err
	})
	pod := say.Must(pods.Get(ctx, "broken", meta.GetOptions{}))
	for _, condition := range pod.Status.Conditions {
		if condition.Type == core.DisruptionTarget {
			say.Line("because: %s", condition.Reason)
		}
	}
	none := int64(0)
	say.Check(pods.Delete(ctx, "broken", meta.DeleteOptions{GracePeriodSeconds: &none}))
	say.Until(ctx, "its claim is reserved for none", func(ctx context.Context) (bool, error) {
		claim, err := client.ResourceV1().ResourceClaims(namespace).Get(ctx, "broken", meta.GetOptions{})
		return err == nil && len(claim.Status.ReservedFor) == 0, err
	})
}

func main() {
	client := kubernetes.NewForConfigOrDie(say.Config())
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Second)
	defer cancel()
	say.Namespace(ctx, client, namespace)
	workloads(ctx, client)
	var found []string
	say.Until(ctx, "the pods have claims", func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(namespace).List(ctx, meta.ListOptions{})
		if err != nil {
			return false, err
		}
		found = podsOf(pods.Items)
		return len(found) == 3, nil
	})
	say.Line("pods: %v", found)
	claims := say.Must(client.ResourceV1().ResourceClaims(namespace).List(ctx, meta.ListOptions{}))
	say.Line("%d claims, each owned by a %s", len(claims.Items), claims.Items[0].OwnerReferences[0].Kind)
	finish(ctx, client)
	breakDevice(ctx, client)
	say.Check(client.AppsV1().Deployments(namespace).Delete(ctx, "web", meta.DeleteOptions{}))
	say.Until(ctx, "the deployment's pods are collected", func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(namespace).List(ctx, meta.ListOptions{LabelSelector: "app=web"})
		return err == nil && len(pods.Items) == 0, err
	})
	say.Line("done")
}
