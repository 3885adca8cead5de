// Package devicetainteviction replaces Kubernetes' package of that name in its tests.
package devicetainteviction

import (
	"context"

	core "k8s.io/client-go/informers/core/v1"
	resource "k8s.io/client-go/informers/resource/v1"
	"k8s.io/client-go/kubernetes"

	"k8s.io/kubernetes/pkg/controller/standin"
)

type Controller struct{}

// New creates the informers that tests wait for, and ignores its other arguments.
func New(_ kubernetes.Interface, pods core.PodInformer, claims resource.ResourceClaimInformer,
	slices resource.ResourceSliceInformer, _ resource.DeviceTaintRuleInformer,
	_ resource.DeviceClassInformer, _ string) *Controller {
	pods.Informer()
	claims.Informer()
	slices.Informer()
	return &Controller{}
}

func (*Controller) Run(ctx context.Context, _ int) error {
	standin.Run(ctx, "device-taint-eviction-controller", nil)
	return nil
}
