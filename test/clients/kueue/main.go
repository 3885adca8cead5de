// Two Jobs for one device: Kueue, which this program starts, admits the one, and the other when the first has finished.
// kube-controller-manager, which runs beside, makes their pods and the pods' claims.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"clients/internal/installed"
	"clients/internal/say"
)

const namespace = "queued"

//go:embed config.yaml
var configuration string

//go:embed system.yaml
var system string

//go:embed queues.yaml
var queues string

//go:embed job.yaml
var job string

var api client.Client

func object(version, kind, namespace, name string) *unstructured.Unstructured {
	found := &unstructured.Unstructured{}
	found.SetAPIVersion(version)
	found.SetKind(kind)
	found.SetNamespace(namespace)
	found.SetName(name)
	return found
}

// "QuotaReserved=False because of Pending: couldn't …", or "".
func conditionOf(object *unstructured.Unstructured, kind string) string {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, condition := range conditions {
		if one := condition.(map[string]any); one["type"] == kind {
			return fmt.Sprintf("%s=%s because of %s: %s", kind, one["status"], one["reason"], one["message"])
		}
	}
	return ""
}

func isActive(version, kind, namespace, name string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		found := object(version, kind, namespace, name)
		err := api.Get(ctx, client.ObjectKeyFromObject(found), found)
		return err == nil && strings.HasPrefix(conditionOf(found, "Active"), "Active=True"), err
	}
}

// The workload that Kueue made for a Job.
func workloadOf(ctx context.Context, job string) (*unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("kueue.x-k8s.io/v1beta2")
	list.SetKind("WorkloadList")
	if err := api.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	for _, workload := range list.Items {
		if owners := workload.GetOwnerReferences(); len(owners) == 1 && owners[0].Name == job {
			return &workload, nil
		}
	}
	return nil, nil
}

func untilWorkload(ctx context.Context, job, condition, status string) {
	var shown string
	say.Until(ctx, fmt.Sprintf("the workload of %s: %s=%s", job, condition, status), func(ctx context.Context) (bool, error) {
		workload, err := workloadOf(ctx, job)
		if err != nil || workload == nil {
			return false, err
		}
		shown = conditionOf(workload, condition)
		return strings.HasPrefix(shown, condition+"="+status), nil
	})
	say.Line("%s", shown)
}

func finish(ctx context.Context, clients kubernetes.Interface, job string) {
	var pod core.Pod
	say.Until(ctx, "the pod of "+job+" has a claim", func(ctx context.Context) (bool, error) {
		pods, err := clients.CoreV1().Pods(namespace).List(ctx, meta.ListOptions{LabelSelector: "job-name=" + job})
		if err != nil || len(pods.Items) != 1 {
			return false, err
		}
		pod = pods.Items[0]
		return len(pod.Status.ResourceClaimStatuses) == 1, nil
	})
	pod.Status.Phase = core.PodSucceeded
	say.Must(clients.CoreV1().Pods(namespace).UpdateStatus(ctx, &pod, meta.UpdateOptions{}))
	var made *batch.Job
	say.Until(ctx, job+" is complete", func(ctx context.Context) (bool, error) {
		var err error
		made, err = clients.BatchV1().Jobs(namespace).Get(ctx, job, meta.GetOptions{})
		return err == nil && made.Status.Succeeded == 1 && made.Status.CompletionTime != nil, err
	})
	say.Line("suspended: %v", *made.Spec.Suspend)
	untilWorkload(ctx, job, "Finished", "True")
}

func showQueue(ctx context.Context) {
	queue := object("kueue.x-k8s.io/v1beta2", "ClusterQueue", "", "devices")
	say.Until(ctx, "the queue is empty", func(ctx context.Context) (bool, error) {
		err := api.Get(ctx, client.ObjectKeyFromObject(queue), queue)
		admitted, _, _ := unstructured.NestedInt64(queue.Object, "status", "admittedWorkloads")
		pending, _, _ := unstructured.NestedInt64(queue.Object, "status", "pendingWorkloads")
		return err == nil && admitted == 0 && pending == 0, err
	})
	say.Line("usage: %v", queue.Object["status"].(map[string]any)["flavorsUsage"])
}

func showEvents(ctx context.Context, clients kubernetes.Interface) {
	seen := map[string]bool{}
	for _, event := range say.Must(clients.CoreV1().Events(namespace).List(ctx, meta.ListOptions{})).Items {
		if strings.Contains(event.ReportingController+event.Source.Component, "kueue") {
			seen[event.InvolvedObject.Kind+" "+event.Reason] = true
		}
	}
	var reasons []string
	for reason := range seen {
		reasons = append(reasons, reason)
	}
	sort.Strings(reasons)
	say.Line("events of Kueue: %v", reasons)
}

func collect(ctx context.Context, clients kubernetes.Interface) {
	background := meta.DeletePropagationBackground
	say.Check(clients.BatchV1().Jobs(namespace).Delete(ctx, "first", meta.DeleteOptions{PropagationPolicy: &background}))
	say.UntilWithin(ctx, installed.GarbageCollected, "the workload of a deleted Job goes", func(ctx context.Context) (bool, error) {
		workload, err := workloadOf(ctx, "first")
		return workload == nil, err
	})
}

func main() {
	clients := kubernetes.NewForConfigOrDie(say.Config())
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Second)
	defer cancel()
	api = installed.Client()
	say.Namespace(ctx, clients, "kueue-system")
	say.Namespace(ctx, clients, namespace)
	installed.Definitions(ctx, api, os.Getenv("KUEUE_DEFINITIONS"),
		"clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads")
	installed.Apply(ctx, api, system)
	settings := installed.New()
	settings.Start("KUEUE", configuration)
	installed.Mount(ctx, api, "kueue-system", "kueue-webhook-server-cert", settings.Folder)
	installed.Apply(ctx, api, queues)
	say.Until(ctx, "the queues are active", isActive("kueue.x-k8s.io/v1beta2", "LocalQueue", namespace, "devices"))
	installed.Apply(ctx, api, strings.ReplaceAll(job, "NAME", "first"))
	untilWorkload(ctx, "first", "Admitted", "True")
	installed.Apply(ctx, api, strings.ReplaceAll(job, "NAME", "second"))
	untilWorkload(ctx, "second", "QuotaReserved", "False")
	finish(ctx, clients, "first")
	untilWorkload(ctx, "second", "Admitted", "True")
	finish(ctx, clients, "second")
	showQueue(ctx)
	showEvents(ctx, clients)
	collect(ctx, clients)
	say.Line("done")
}
