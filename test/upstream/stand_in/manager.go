// Package standin runs dra-controller-manager in place of a controller that Kubernetes' tests would
// run in their own process.
package standin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/features"
)

// Further content of the tests' context: how to reach the API server.
type testContext interface {
	context.Context
	RESTConfig() *rest.Config
}

var runs atomic.Int64

// Run starts the manager with only one controller, and returns when the context and the manager
// have ended. If the manager ends by itself, Run panics: no test may pass without it.
func Run(ctx context.Context, controller string, watch func(ctx context.Context, metrics string)) {
	test, ok := ctx.(testContext)
	if !ok {
		panic(fmt.Sprintf("the context of %s does not know the API server: %T", controller, ctx))
	}
	folder := filepath.Join(os.Getenv("STAND_IN_LOGS"),
		fmt.Sprintf("%d-%d-%s", os.Getpid(), runs.Add(1), controller))
	must(os.MkdirAll(folder, 0o755))
	kubeconfig := filepath.Join(folder, "kubeconfig")
	must(writeKubeconfig(test.RESTConfig(), kubeconfig))
	log, err := os.Create(filepath.Join(folder, "log"))
	must(err)
	defer log.Close()

	port := freePort()
	manager := exec.Command(os.Getenv("STAND_IN_MANAGER"), "--kubeconfig", kubeconfig, "--controllers",
		controller, "--leader-elect=false", "--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port), "--kube-api-qps=5000", "--kube-api-burst=5000",
		"--authorization-always-allow-paths=/metrics", "-v=2", "--feature-gates="+gates())
	manager.Stderr = log
	// A test binary that dies takes the manager with it.
	manager.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(manager.Start())
	ended := make(chan error, 1)
	go func() { ended <- manager.Wait() }()
	if watch != nil {
		go watch(ctx, fmt.Sprintf("127.0.0.1:%d", port))
	}
	select {
	case err := <-ended:
		panic(fmt.Sprintf("dra-controller-manager ended by itself (%v), see %s", err, log.Name()))
	case <-ctx.Done():
		must(manager.Process.Signal(syscall.SIGTERM))
		<-ended
	}
}

// gates returns what the test has enabled in its own process, as far as it concerns the two
// controllers.
func gates() string {
	var list []string
	for _, gate := range []featuregate.Feature{features.DRAAdminAccess, features.DRADeviceTaintRules,
		features.DRAPrioritizedList, features.DRAWorkloadResourceClaims, features.GenericWorkload} {
		list = append(list, fmt.Sprintf("%s=%t", gate, utilfeature.DefaultFeatureGate.Enabled(gate)))
	}
	return strings.Join(list, ",")
}
