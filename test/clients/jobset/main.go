// A JobSet whose pods have claims: JobSet's manager, which this program starts, makes its Jobs and a Service, makes the
// Jobs anew after a failure, and ends the JobSet when they have finished. kube-controller-manager, which runs beside,
// makes the pods and their claims.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"clients/internal/installed"
	"clients/internal/say"
)

const namespace = "sets"

//go:embed config.yaml
var configuration string

//go:embed set.yaml
var set string

// Of one run of the JobSet: a failure starts another.
func podsOf(ctx context.Context, clients kubernetes.Interface, attempt int) ([]core.Pod, error) {
	list, err := clients.CoreV1().Pods(namespace).List(ctx, meta.ListOptions{
		LabelSelector: fmt.Sprintf("jobset.sigs.k8s.io/restart-attempt=%d", attempt)})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func untilClaimed(ctx context.Context, clients kubernetes.Interface, attempt int) []core.Pod {
	var found []core.Pod
	say.Until(ctx, fmt.Sprintf("the pods of attempt %d have claims", attempt), func(ctx context.Context) (bool, error) {
		pods, err := podsOf(ctx, clients, attempt)
		found = pods
		for _, pod := range pods {
			if len(pod.Status.ResourceClaimStatuses) != 1 {
				return false, nil
			}
		}
		return len(pods) == 3, err
	})
	var shown []string
	for _, pod := range found {
		shown = append(shown, fmt.Sprintf("%s of %s at %s.%s", pod.Labels["jobset.sigs.k8s.io/replicatedjob-name"],
			pod.Labels["job-name"], pod.Spec.Hostname, pod.Spec.Subdomain))
	}
	sort.Strings(shown)
	say.Line("%s", strings.Join(shown, "; "))
	return found
}

func end(ctx context.Context, clients kubernetes.Interface, pod core.Pod, phase core.PodPhase) {
	pod.Status.Phase = phase
	say.Must(clients.CoreV1().Pods(namespace).UpdateStatus(ctx, &pod, meta.UpdateOptions{}))
}

func untilComplete(ctx context.Context, api client.Client) {
	found := &unstructured.Unstructured{}
	found.SetAPIVersion("jobset.x-k8s.io/v1alpha2")
	found.SetKind("JobSet")
	say.Until(ctx, "the JobSet is complete", func(ctx context.Context) (bool, error) {
		err := api.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "set"}, found)
		state, _, _ := unstructured.NestedString(found.Object, "status", "terminalState")
		return state == "Completed", err
	})
	status := found.Object["status"].(map[string]any)
	for _, condition := range status["conditions"].([]any) {
		one := condition.(map[string]any)
		say.Line("%s=%s because of %s: %s", one["type"], one["status"], one["reason"], one["message"])
	}
	say.Line("restarts: %v", status["restarts"])
}

// A Deployment would mount them; no server calls the webhook.
func certificates(folder string) {
	certificate, key, err := cert.GenerateSelfSignedCertKey("jobset-webhook-service.jobset-system.svc", nil, nil)
	say.Check(err)
	say.Check(os.WriteFile(filepath.Join(folder, "tls.crt"), certificate, 0o600))
	say.Check(os.WriteFile(filepath.Join(folder, "tls.key"), key, 0o600))
}

func collect(ctx context.Context, clients kubernetes.Interface, api client.Client) {
	for _, object := range installed.Objects(strings.NewReader(set)) {
		if object.GetKind() == "JobSet" {
			say.Check(api.Delete(ctx, object, client.PropagationPolicy(meta.DeletePropagationForeground)))
		}
	}
	say.UntilWithin(ctx, installed.GarbageCollected, "its Jobs and its Service go", func(ctx context.Context) (bool, error) {
		jobs, err := clients.BatchV1().Jobs(namespace).List(ctx, meta.ListOptions{})
		if err != nil {
			return false, err
		}
		services, err := clients.CoreV1().Services(namespace).List(ctx, meta.ListOptions{})
		return err == nil && len(jobs.Items) == 0 && len(services.Items) == 0, err
	})
}

func main() {
	clients := kubernetes.NewForConfigOrDie(say.Config())
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Second)
	defer cancel()
	api := installed.Client()
	say.Namespace(ctx, clients, "jobset-system")
	say.Namespace(ctx, clients, namespace)
	installed.Definitions(ctx, api, os.Getenv("JOBSET_DEFINITIONS"))
	settings := installed.New()
	certificates(settings.Folder)
	settings.Start("JOBSET", configuration)
	installed.Apply(ctx, api, set)
	first := untilClaimed(ctx, clients, 0)
	services := say.Must(clients.CoreV1().Services(namespace).List(ctx, meta.ListOptions{}))
	say.Line("%d service %s: %s", len(services.Items), services.Items[0].Name, services.Items[0].Spec.ClusterIP)
	end(ctx, clients, first[0], core.PodFailed)
	for _, pod := range untilClaimed(ctx, clients, 1) {
		end(ctx, clients, pod, core.PodSucceeded)
	}
	untilComplete(ctx, api)
	collect(ctx, clients, api)
	say.Line("done")
}
