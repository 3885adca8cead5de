// A ShardSet (shards.example.com) divides the numbers from 0 to 65535 between its shards:
// shard-controller with controller-runtime, for comparison.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	finalizer = "shards.example.com/in-use"
	inUseBy   = "shards.example.com/in-use-by"
	ownerKey  = "by_set"
	numbers   = 65536
)

type ShardSetSpec struct {
	Shards int `json:"shards"`
}

type ShardSetStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type ShardSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ShardSetSpec   `json:"spec"`
	Status            ShardSetStatus `json:"status,omitempty"`
}

type ShardSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ShardSet `json:"items"`
}

// controller-gen would write these into a separate file.
func (in *ShardSet) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
	return &out
}

func (in *ShardSetList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = make([]ShardSet, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*ShardSet)
	}
	return &out
}

var made = prometheus.NewCounter(prometheus.CounterOpts{
	Name: "shard_controller_shards_made_total", Help: "Shards that were made."})

type Reconciler struct {
	client.Client
	events record.EventRecorder
	max    int
}

func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var set ShardSet
	if err := r.Get(ctx, request.NamespacedName, &set); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // its shards are deleted with it
	}
	var shards corev1.ConfigMapList
	if err := r.List(ctx, &shards, client.InNamespace(request.Namespace),
		client.MatchingFields{ownerKey: request.Name}); err != nil {
		return ctrl.Result{}, err
	}
	if !set.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finish(ctx, &set, shards.Items)
	}
	if controllerutil.AddFinalizer(&set, finalizer) {
		if err := r.Update(ctx, &set); err != nil {
			return ctrl.Result{}, err
		}
	}
	wanted := min(max(set.Spec.Shards, 0), r.max)
	taken, err := r.makeShards(ctx, &set, wanted)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.removeSurplus(ctx, &set, wanted, shards.Items); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, &set, wanted, taken)
}

func rangeOf(shard, shards int) map[string]string {
	return map[string]string{
		"from": strconv.Itoa(numbers * shard / shards),
		"to":   strconv.Itoa(numbers*(shard+1)/shards - 1),
	}
}

func nameOf(set *ShardSet, shard int) string { return fmt.Sprintf("%s-%d", set.Name, shard) }

// Returns a shard's name that an object of another has.
func (r *Reconciler) makeShards(ctx context.Context, set *ShardSet, wanted int) (string, error) {
	taken := ""
	for i := range wanted {
		var shard corev1.ConfigMap
		err := r.Get(ctx, types.NamespacedName{Namespace: set.Namespace, Name: nameOf(set, i)}, &shard)
		if client.IgnoreNotFound(err) != nil {
			return "", err
		}
		isNew := err != nil
		if !isNew && !metav1.IsControlledBy(&shard, set) {
			taken = shard.Name
			continue
		}
		if !isNew && maps.Equal(shard.Data, rangeOf(i, wanted)) {
			continue
		}
		apply := corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Namespace: set.Namespace, Name: nameOf(set, i)},
			Data:       rangeOf(i, wanted),
		}
		if err := controllerutil.SetControllerReference(set, &apply, r.Scheme()); err != nil {
			return "", err
		}
		if err := r.Patch(ctx, &apply, client.Apply, client.ForceOwnership,
			client.FieldOwner("shard-controller")); err != nil {
			return "", err
		}
		if isNew {
			made.Inc()
		}
	}
	return taken, nil
}

// Shards in use must be released first.
func (r *Reconciler) removeSurplus(ctx context.Context, set *ShardSet, wanted int,
	shards []corev1.ConfigMap) error {
	isWanted := map[string]bool{}
	for i := range wanted {
		isWanted[nameOf(set, i)] = true
	}
	for i := range shards {
		if _, inUse := shards[i].Annotations[inUseBy]; inUse || isWanted[shards[i].Name] {
			continue
		}
		uid := client.Preconditions{UID: &shards[i].UID}
		if err := r.Delete(ctx, &shards[i], uid); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) report(ctx context.Context, set *ShardSet, wanted int, taken string) error {
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "ShardsMade",
		Message: fmt.Sprintf("%d shards", wanted), ObservedGeneration: set.Generation}
	if set.Spec.Shards > r.max {
		ready.Status, ready.Reason = metav1.ConditionFalse, "TooManyShards"
	}
	if taken != "" {
		ready.Status, ready.Reason = metav1.ConditionFalse, "NameTaken"
		ready.Message = taken + " belongs to another owner"
	}
	before := set.DeepCopyObject().(*ShardSet)
	if !meta.SetStatusCondition(&set.Status.Conditions, ready) {
		return nil
	}
	if err := r.Status().Patch(ctx, set, client.MergeFrom(before)); err != nil {
		return err
	}
	eventType := corev1.EventTypeNormal
	if ready.Status == metav1.ConditionFalse {
		eventType = corev1.EventTypeWarning
	}
	r.events.Event(set, eventType, ready.Reason, ready.Message)
	return nil
}

func (r *Reconciler) finish(ctx context.Context, set *ShardSet, shards []corev1.ConfigMap) error {
	for i := range shards {
		if user, inUse := shards[i].Annotations[inUseBy]; inUse {
			r.events.Eventf(set, corev1.EventTypeNormal, "Waiting", "%s is in use by %s",
				shards[i].Name, user)
			return nil // a change of the shard triggers this again
		}
	}
	if !controllerutil.RemoveFinalizer(set, finalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Update(ctx, set))
}

func (r *Reconciler) ready(*http.Request) error {
	var sets ShardSetList
	if err := r.List(context.Background(), &sets); err != nil {
		return err
	}
	behind := 0
	for i := range sets.Items {
		if !sets.Items[i].DeletionTimestamp.IsZero() {
			continue // finish reports it
		}
		ready := meta.FindStatusCondition(sets.Items[i].Status.Conditions, "Ready")
		if ready == nil || ready.ObservedGeneration != sets.Items[i].Generation {
			behind++
		}
	}
	if behind > 0 {
		return fmt.Errorf("%d sets are not up to date", behind)
	}
	return nil
}

func setOf(object client.Object) []string {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != "ShardSet" {
		return nil
	}
	return []string{owner.Name}
}

// The set whose shard has or would have this name.
func setNamedBy(_ context.Context, object client.Object) []reconcile.Request {
	name := object.GetName()
	return []reconcile.Request{{NamespacedName: types.NamespacedName{
		Namespace: object.GetNamespace(), Name: name[:max(strings.LastIndex(name, "-"), 0)]}}}
}

func run() error {
	namespace := flag.String("namespace", "default", "Namespace of the sets and their shards.")
	shardsMax := flag.Int("shards-max", 100, "Most shards of one set.")
	address := flag.String("metrics-bind-address", ":8080", "host:port for /metrics.")
	probes := flag.String("health-probe-bind-address", ":8081", "host:port for probes.")
	elect := flag.Bool("leader-elect", true, "Work only while holding the lease.")
	flag.Parse() // --kubeconfig is controller-runtime's
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	version := schema.GroupVersion{Group: "shards.example.com", Version: "v1"}
	scheme.AddKnownTypes(version, &ShardSet{}, &ShardSetList{})
	metav1.AddToGroupVersion(scheme, version)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	drain := 20 * time.Second
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme,
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{*namespace: {}},
		},
		Metrics:                       metricsserver.Options{BindAddress: *address},
		HealthProbeBindAddress:        *probes,
		LeaderElection:                *elect,
		LeaderElectionID:              "shard-controller",
		LeaderElectionNamespace:       *namespace,
		LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout:       &drain,
	})
	if err != nil {
		return err
	}
	metrics.Registry.MustRegister(made)
	if err := manager.GetFieldIndexer().IndexField(context.Background(), &corev1.ConfigMap{},
		ownerKey, setOf); err != nil {
		return err
	}
	reconciler := &Reconciler{manager.GetClient(),
		manager.GetEventRecorderFor("shard-controller"), *shardsMax}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := manager.AddReadyzCheck("sets", reconciler.ready); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(manager).
		For(&ShardSet{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(setNamedBy)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(reconciler); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
