// Package testing starts the in-memory API server where Kubernetes' tests would start
// kube-apiserver in their own process.
package testing

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	gotesting "testing"
	"time"

	"k8s.io/apiserver/pkg/storage/storagebackend"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/test/utils/ktesting"
)

// TestServerInstanceOptions is empty: what the tests enable in their process concerns the
// scheduler.
type TestServerInstanceOptions struct{}

// TestServer is one in-memory server.
type TestServer struct {
	ClientConfig *rest.Config
	TearDownFn   func()
}

func NewDefaultTestServerOptions() *TestServerInstanceOptions { return &TestServerInstanceOptions{} }

// StartTestServer returns when the server has written its kubeconfig, which it does once it
// listens.
func StartTestServer(t ktesting.TB, _ *TestServerInstanceOptions, _ []string, _ *storagebackend.Config) (TestServer, error) {
	folder, err := os.MkdirTemp("", "memory-apiserver")
	if err != nil {
		return TestServer{}, err
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	arguments := []string{"--kubeconfig", kubeconfig, "--resource-versions", "v1,v1beta2,v1beta1",
		"--device-taint-rule-versions", "v1,v1beta2,v1alpha3"}
	if utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) {
		arguments = append(arguments, "--pod-group-versions", "v1beta1")
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, os.Getenv("STAND_IN_SERVER"), arguments...)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		cancel()
		return TestServer{}, err
	}
	tearDown := func() {
		cancel()
		_ = server.Wait()
		_ = os.RemoveAll(folder)
	}
	config, err := waitForKubeconfig(kubeconfig)
	if err != nil {
		tearDown()
		return TestServer{}, err
	}
	config.QPS, config.Burst = 1000, 10000
	return TestServer{ClientConfig: config, TearDownFn: tearDown}, nil
}

func StartTestServerOrDie(t gotesting.TB, options *TestServerInstanceOptions, flags []string, storage *storagebackend.Config) *TestServer {
	server, err := StartTestServer(t, options, flags, storage)
	if err != nil {
		t.Fatalf("start the API server in memory: %v", err)
	}
	return &server
}

func waitForKubeconfig(path string) (*rest.Config, error) {
	var last error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		config, err := clientcmd.BuildConfigFromFlags("", path)
		if err == nil {
			return config, nil
		}
		last = err
	}
	return nil, fmt.Errorf("no kubeconfig of the server: %w", last)
}
