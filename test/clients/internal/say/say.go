// Package say has what all programs share: printing steps, and exiting at the first failure.
package say

import (
	"context"
	"fmt"
	"os"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Must exits on an error; earlier output tells where.
func Must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	return value
}

// Check is Must for functions that return only an error.
func Check(err error) { Must(0, err) }

// Line prints one step.
func Line(format string, values ...any) { fmt.Printf(format+"\n", values...) }

// Config is that of $KUBECONFIG.
func Config() *rest.Config { return Must(clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))) }

// Until polls, and exits if it takes too long.
func Until(ctx context.Context, what string, done func(context.Context) (bool, error)) {
	UntilWithin(ctx, 90*time.Second, what, done)
}

// UntilWithin is Until for what takes longer.
func UntilWithin(ctx context.Context, limit time.Duration, what string, done func(context.Context) (bool, error)) {
	if err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, limit, true, done); err != nil {
		fmt.Printf("FAILED: not so: %s: %v\n", what, err)
		os.Exit(1)
	}
	Line("%s", what)
}

// Namespace creates one, with the service account that pods need where no controller creates it.
func Namespace(ctx context.Context, client kubernetes.Interface, name string) {
	Must(client.CoreV1().Namespaces().Create(ctx, &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: name}}, meta.CreateOptions{}))
	Must(client.CoreV1().ServiceAccounts(name).Create(ctx,
		&core.ServiceAccount{ObjectMeta: meta.ObjectMeta{Name: "default"}}, meta.CreateOptions{}))
}
