// Package resourceclaim replaces Kubernetes' package of that name in its tests.
package resourceclaim

import (
	"context"

	core "k8s.io/client-go/informers/core/v1"
	resource "k8s.io/client-go/informers/resource/v1"
	scheduling "k8s.io/client-go/informers/scheduling/v1beta1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/resourceclaim/metrics"
	"k8s.io/klog/v2"

	"k8s.io/kubernetes/pkg/controller/standin"
)

type Controller struct{}

// NewController creates the informers that tests wait for, and ignores its other arguments.
func NewController(_ klog.Logger, _ kubernetes.Interface, pods core.PodInformer, _ scheduling.PodGroupInformer,
	claims resource.ResourceClaimInformer, templates resource.ResourceClaimTemplateInformer) (*Controller, error) {
	pods.Informer()
	claims.Informer()
	templates.Informer()
	metrics.RegisterMetrics()
	return &Controller{}, nil
}

func (*Controller) Run(ctx context.Context, _ int) {
	standin.Run(ctx, "resourceclaim-controller", standin.MirrorCreates)
}
