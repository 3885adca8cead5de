// A program on unmodified client-go: typed, dynamic, metadata, informers and leader election. It
// prints one line for each step; the output must be the same on two API servers.
package main

import (
	"clients/internal/say"
	"context"
	"sort"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	resource "k8s.io/api/resource/v1"
	errors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

const namespace = "clients"

func configMap(name string) *core.ConfigMap {
	return &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"a": "b"}},
		Data:       map[string]string{"key": "value"},
		BinaryData: map[string][]byte{"bytes": {0, 255, 254}},
	}
}

func claim(name string) *resource.ResourceClaim {
	return &resource.ResourceClaim{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: resource.ResourceClaimSpec{Devices: resource.DeviceClaim{Requests: []resource.DeviceRequest{{
			Name: "gpu", Exactly: &resource.ExactDeviceRequest{DeviceClassName: "gpu.example.com"},
		}}}},
	}
}

func pod(name string) *core.Pod {
	yes, claimName := true, "claim"
	return &core.Pod{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: map[string]string{"app": "x"}},
		Spec: core.PodSpec{
			Containers: []core.Container{{
				Name: "c", Image: "image:1",
				Env:             []core.EnvVar{{Name: "A", Value: "1"}},
				Resources:       core.ResourceRequirements{Claims: []core.ResourceClaim{{Name: "gpu"}}},
				SecurityContext: &core.SecurityContext{RunAsNonRoot: &yes},
			}},
			ResourceClaims: []core.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claimName}},
			Tolerations:    []core.Toleration{{Operator: core.TolerationOpExists}},
		},
	}
}

func typedWrites(ctx context.Context, client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps(namespace)
	made := say.Must(maps.Create(ctx, configMap("typed"), meta.CreateOptions{}))
	say.Line("created %s with %v %v", made.Name, made.Data, made.BinaryData)
	_, err := maps.Create(ctx, configMap("typed"), meta.CreateOptions{})
	say.Line("again: %v", errors.ReasonForError(err))
	say.Check(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		now, err := maps.Get(ctx, "typed", meta.GetOptions{})
		if err != nil {
			return err
		}
		now.Data["key"] = "other"
		_, err = maps.Update(ctx, now, meta.UpdateOptions{})
		return err
	}))
	_, err = maps.Update(ctx, made, meta.UpdateOptions{})
	say.Line("an old version: %v", errors.ReasonForError(err))
	patched := say.Must(maps.Patch(ctx, "typed", types.StrategicMergePatchType, []byte(`{"data":{"more":"1"}}`), meta.PatchOptions{}))
	say.Line("patched: %v", patched.Data)
	applied := say.Must(maps.Apply(ctx, applycore.ConfigMap("applied", namespace).WithData(map[string]string{"a": "b"}),
		meta.ApplyOptions{FieldManager: "clients"}))
	say.Line("applied: %v, managers %d, %s", applied.Data, len(applied.ManagedFields), applied.ManagedFields[0].FieldsV1)
	_, err = maps.Create(ctx, configMap("No Name"), meta.CreateOptions{})
	say.Line("a bad name: %v %d causes", errors.ReasonForError(err), len(err.(errors.APIStatus).Status().Details.Causes))
	_, err = maps.Get(ctx, "missing", meta.GetOptions{})
	say.Line("missing: %v", err)
	list := say.Must(maps.List(ctx, meta.ListOptions{LabelSelector: "a=b", Limit: 1}))
	say.Line("listed %d of a=b", len(list.Items))
	say.Check(maps.DeleteCollection(ctx, meta.DeleteOptions{}, meta.ListOptions{LabelSelector: "a=b"}))
	_, err = maps.Get(ctx, "typed", meta.GetOptions{})
	say.Line("deleted with others: %v", errors.ReasonForError(err))
}

func podsAndClaims(ctx context.Context, client kubernetes.Interface) {
	claims := client.ResourceV1().ResourceClaims(namespace)
	made := say.Must(claims.Create(ctx, claim("claim"), meta.CreateOptions{}))
	say.Line("claim: %+v", made.Spec.Devices)
	pods := client.CoreV1().Pods(namespace)
	placed := say.Must(pods.Create(ctx, pod("pod"), meta.CreateOptions{}))
	say.Line("pod: %v %v %v %v", placed.Status.Phase, *placed.Spec.TerminationGracePeriodSeconds, placed.Spec.DNSPolicy,
		*placed.Spec.Containers[0].SecurityContext.RunAsNonRoot)
	say.Line("claims of it: %s", *placed.Spec.ResourceClaims[0].ResourceClaimName)
	say.Check(pods.Bind(ctx, &core.Binding{
		ObjectMeta: meta.ObjectMeta{Name: "pod", Namespace: namespace},
		Target:     core.ObjectReference{Kind: "Node", Name: "node"},
	}, meta.CreateOptions{}))
	placed = say.Must(pods.Get(ctx, "pod", meta.GetOptions{}))
	say.Line("bound to %s", placed.Spec.NodeName)
	placed.Status.Phase = core.PodRunning
	start := meta.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	placed.Status.StartTime = &start
	placed = say.Must(pods.UpdateStatus(ctx, placed, meta.UpdateOptions{}))
	say.Line("status: %v since %v", placed.Status.Phase, placed.Status.StartTime.UTC())
	say.Check(pods.EvictV1(ctx, &policy.Eviction{ObjectMeta: meta.ObjectMeta{Name: "pod", Namespace: namespace}}))
	placed = say.Must(pods.Get(ctx, "pod", meta.GetOptions{}))
	say.Line("evicted: %v", placed.DeletionTimestamp != nil)
	none := int64(0)
	say.Check(pods.Delete(ctx, "pod", meta.DeleteOptions{GracePeriodSeconds: &none}))
	say.Check(claims.Delete(ctx, "claim", meta.DeleteOptions{Preconditions: &meta.Preconditions{UID: &made.UID}}))
}

func dynamicAndMetadata(ctx context.Context, config *rest.Config) {
	maps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	objects := say.Must(dynamic.NewForConfigOrDie(config).Resource(maps).Namespace(namespace).Get(ctx, "applied", meta.GetOptions{}))
	say.Line("dynamic: %s %s %v", objects.GetAPIVersion(), objects.GetKind(), objects.Object["data"])
	client := metadata.NewForConfigOrDie(config).Resource(maps).Namespace(namespace)
	part := say.Must(client.Get(ctx, "applied", meta.GetOptions{}))
	say.Line("metadata: %s %s %s", part.APIVersion, part.Kind, part.Name)
	list := say.Must(client.List(ctx, meta.ListOptions{FieldSelector: "metadata.name=applied"}))
	say.Line("metadata of %d", len(list.Items))
	part = say.Must(client.Patch(ctx, "applied", types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), meta.PatchOptions{}))
	say.Line("metadata patched: %v", part.Labels)
	say.Check(client.Delete(ctx, "applied", meta.DeleteOptions{}))
}

func informer(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	maps := factory.Core().V1().ConfigMaps()
	events := make(chan string, 10)
	say.Must(maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { events <- "added " + object.(*core.ConfigMap).Name },
		UpdateFunc: func(_, object any) { events <- "updated " + object.(*core.ConfigMap).Name },
		DeleteFunc: func(object any) { events <- "deleted " + object.(*core.ConfigMap).Name },
	}))
	factory.Start(ctx.Done())
	say.Line("synced: %v", len(factory.WaitForCacheSync(ctx.Done())))
	writes := client.CoreV1().ConfigMaps(namespace)
	made := say.Must(writes.Create(ctx, configMap("watched"), meta.CreateOptions{}))
	made.Data["key"] = "new"
	say.Must(writes.Update(ctx, made, meta.UpdateOptions{}))
	say.Check(writes.Delete(ctx, "watched", meta.DeleteOptions{}))
	// On a real server a controller publishes kube-root-ca.crt; there is none here.
	for seen := 0; seen < 3; {
		event := <-events
		if event[len(event)-len("watched"):] == "watched" {
			say.Line("event: %s", event)
			seen++
		}
	}
}

func election(ctx context.Context, client kubernetes.Interface) {
	ctx, stop := context.WithCancel(ctx)
	lock := say.Must(resourcelock.New(resourcelock.LeasesResourceLock, namespace, "leader", client.CoreV1(),
		client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "me"}))
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { say.Line("leading"); stop() },
			OnStoppedLeading: func() { say.Line("stopped leading") },
		},
	})
	leases := client.CoordinationV1().Leases(namespace)
	lease := say.Must(leases.Get(context.Background(), "leader", meta.GetOptions{}))
	say.Line("lease: holder %q", *lease.Spec.HolderIdentity)
	lease.Spec.RenewTime = &meta.MicroTime{Time: time.Unix(1_800_000_000, 123_456_000)}
	kept := say.Must(leases.Update(context.Background(), lease, meta.UpdateOptions{}))
	say.Line("lease: micros kept %v", kept.Spec.RenewTime.Equal(lease.Spec.RenewTime))
}

func discovered(client kubernetes.Interface) {
	_, resources, err := client.Discovery().ServerGroupsAndResources()
	say.Check(err)
	var kinds []string
	for _, group := range resources {
		for _, kind := range group.APIResources {
			if (kind.Kind == "Pod" || kind.Kind == "ResourceClaim") && !strings.Contains(kind.Name, "/") {
				kinds = append(kinds, group.GroupVersion+" "+kind.Name)
			}
		}
	}
	sort.Strings(kinds)
	say.Line("discovered: %v", kinds)
}

func main() {
	config := say.Config()
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	discovered(client)
	say.Namespace(ctx, client, namespace)
	say.Must(client.CoreV1().Nodes().Create(ctx, &core.Node{ObjectMeta: meta.ObjectMeta{Name: "node"}}, meta.CreateOptions{}))
	typedWrites(ctx, client)
	podsAndClaims(ctx, client)
	dynamicAndMetadata(ctx, config)
	informer(ctx, client)
	election(ctx, client)
	say.Line("done")
}
