// Package testing starts the in-memory API server where Kubernetes' tests would start
// kube-apiserver in their own process.
package testing

import (
	gotesting "testing"

	"k8s.io/apiserver/pkg/storage/storagebackend"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
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

// StartTestServer returns when the server listens.
func StartTestServer(t ktesting.TB, _ *TestServerInstanceOptions, _ []string, _ *storagebackend.Config) (TestServer, error) {
	arguments := []string{"--resource-versions", "v1,v1beta2,v1beta1", "--device-taint-rule-versions", "v1,v1beta2,v1alpha3"}
	if utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) {
		arguments = append(arguments, "--pod-group-versions", "v1beta1")
	}
	config, tearDown, err := startMemoryServer(arguments...)
	if err != nil {
		return TestServer{}, err
	}
	return TestServer{ClientConfig: config, TearDownFn: tearDown}, nil
}

func StartTestServerOrDie(t gotesting.TB, options *TestServerInstanceOptions, flags []string, storage *storagebackend.Config) *TestServer {
	server, err := StartTestServer(t, options, flags, storage)
	if err != nil {
		t.Fatalf("start the API server in memory: %v", err)
	}
	return &server
}
