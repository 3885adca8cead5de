// Package testing stands in for the package of that name which starts a server for tests.
package testing

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// startMemoryServer returns when the server has written its kubeconfig, which it does once it
// listens; and the function that stops it.
func startMemoryServer(arguments ...string) (*rest.Config, func(), error) {
	folder, err := os.MkdirTemp("", "memory-apiserver")
	if err != nil {
		return nil, nil, err
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, os.Getenv("STAND_IN_SERVER"), append(arguments, "--kubeconfig", kubeconfig)...)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		cancel()
		return nil, nil, err
	}
	tearDown := func() {
		cancel()
		_ = server.Wait()
		_ = os.RemoveAll(folder)
	}
	config, err := waitForKubeconfig(kubeconfig)
	if err != nil {
		tearDown()
		return nil, nil, err
	}
	config.QPS, config.Burst = 1000, 10000
	return config, tearDown, nil
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
