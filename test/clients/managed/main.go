// A controller on unmodified controller-runtime: for each claim, it keeps a config map by
// server-side apply, holds the claim by a finalizer until the config map is gone, and records
// events. The manager elects a leader first.
package main

import (
	"context"
	"sort"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	resource "k8s.io/api/resource/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"clients/internal/say"
)

const (
	namespace = "managed"
	finalizer = "example.com/config-map"
	byClass   = "spec.class"
)

type reconciler struct {
	client.Client
	recorder events.EventRecorder
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	claim := &resource.ResourceClaim{}
	if err := r.Get(ctx, request.NamespacedName, claim); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !claim.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.release(ctx, claim)
	}
	if controllerutil.AddFinalizer(claim, finalizer) {
		return ctrl.Result{}, r.Update(ctx, claim)
	}
	return ctrl.Result{}, r.describe(ctx, claim)
}

func (r *reconciler) describe(ctx context.Context, claim *resource.ResourceClaim) error {
	class := claim.Spec.Devices.Requests[0].Exactly.DeviceClassName
	owner := applymeta.OwnerReference().WithAPIVersion("resource.k8s.io/v1").WithKind("ResourceClaim").
		WithName(claim.Name).WithUID(claim.UID).WithController(true).WithBlockOwnerDeletion(true)
	described := applycore.ConfigMap(claim.Name, claim.Namespace).WithOwnerReferences(owner).
		WithData(map[string]string{"class": class})
	if err := r.Apply(ctx, described, client.FieldOwner("managed"), client.ForceOwnership); err != nil {
		return err
	}
	r.recorder.Eventf(claim, nil, core.EventTypeNormal, "Described", "Describe", "config map %s has class %s", claim.Name, class)
	return nil
}

func (r *reconciler) release(ctx context.Context, claim *resource.ResourceClaim) error {
	described := &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: claim.Name, Namespace: claim.Namespace}}
	if err := client.IgnoreNotFound(r.Delete(ctx, described)); err != nil {
		return err
	}
	patch := client.MergeFrom(claim.DeepCopy())
	if !controllerutil.RemoveFinalizer(claim, finalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Patch(ctx, claim, patch))
}

func classOf(object client.Object) []string {
	return []string{object.(*resource.ResourceClaim).Spec.Devices.Requests[0].Exactly.DeviceClassName}
}

func newManager(ctx context.Context) manager.Manager {
	made := say.Must(ctrl.NewManager(say.Config(), manager.Options{
		Scheme: scheme.Scheme, Metrics: metrics.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "managed", LeaderElectionNamespace: namespace,
		LeaderElectionReleaseOnCancel: true,
	}))
	say.Check(made.GetFieldIndexer().IndexField(ctx, &resource.ResourceClaim{}, byClass, classOf))
	say.Check(ctrl.NewControllerManagedBy(made).For(&resource.ResourceClaim{}).
		Owns(&core.ConfigMap{}, builder.OnlyMetadata).
		Complete(&reconciler{made.GetClient(), made.GetEventRecorder("managed")}))
	return made
}

func claim(name, class string) *resource.ResourceClaim {
	return &resource.ResourceClaim{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: namespace},
		Spec: resource.ResourceClaimSpec{Devices: resource.DeviceClaim{Requests: []resource.DeviceRequest{{
			Name: "gpu", Exactly: &resource.ExactDeviceRequest{DeviceClassName: class},
		}}}},
	}
}

// How often the cache of the manager finds claims of a class by a custom index.
func namesOf(ctx context.Context, cached client.Client, class string) []string {
	list := &resource.ResourceClaimList{}
	say.Check(cached.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{byClass: class}))
	var names []string
	for _, one := range list.Items {
		names = append(names, one.Name)
	}
	sort.Strings(names)
	return names
}

func described(ctx context.Context, direct client.Client, name, class string) {
	say.Until(ctx, "config map "+name+" has class "+class, func(ctx context.Context) (bool, error) {
		found := &core.ConfigMap{}
		err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, found)
		return err == nil && found.Data["class"] == class, client.IgnoreNotFound(err)
	})
}

func exercise(ctx context.Context, made manager.Manager) {
	direct := say.Must(client.New(say.Config(), client.Options{}))
	for name, class := range map[string]string{"a": "one", "b": "one", "c": "two"} {
		say.Check(direct.Create(ctx, claim(name, class)))
	}
	described(ctx, direct, "a", "one")
	described(ctx, direct, "b", "one")
	described(ctx, direct, "c", "two")
	say.Line("of class one: %s", strings.Join(namesOf(ctx, made.GetClient(), "one"), " "))
	say.Check(direct.Delete(ctx, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "a", Namespace: namespace}}))
	described(ctx, direct, "a", "one") // recreated: the controller watches what it owns
	kept := &core.ConfigMap{}
	say.Check(direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "a"}, kept))
	say.Line("owned by %s %s, fields of %s", kept.OwnerReferences[0].Kind, kept.OwnerReferences[0].Name, kept.ManagedFields[0].Manager)
	say.Until(ctx, "events were recorded", func(ctx context.Context) (bool, error) {
		list := &eventsv1.EventList{}
		err := direct.List(ctx, list, client.InNamespace(namespace))
		found := map[string]bool{}
		for _, one := range list.Items {
			if one.Reason == "Described" && one.ReportingController == "managed" {
				found[one.Regarding.Name+": "+one.Note] = true
			}
		}
		return len(found) == 3 && found["c: config map c has class two"], err
	})
	say.Check(direct.Delete(ctx, claim("c", "two")))
	say.Until(ctx, "claim c and its config map are gone", func(ctx context.Context) (bool, error) {
		err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "c"}, &resource.ResourceClaim{})
		other := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "c"}, &core.ConfigMap{})
		return err != nil && other != nil && client.IgnoreNotFound(err) == nil && client.IgnoreNotFound(other) == nil, nil
	})
}

func main() {
	log.SetLogger(zap.New())
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	defer cancel()
	say.Namespace(ctx, kubernetes.NewForConfigOrDie(say.Config()), namespace)
	made := newManager(ctx)
	running, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- made.Start(running) }()
	<-made.Elected()
	say.Line("elected, cache synced: %v", made.GetCache().WaitForCacheSync(ctx))
	exercise(ctx, made)
	stop()
	say.Check(<-ended)
	say.Line("done")
}
