// Package folder is an API server implemented by a folder: as much of one as a node and a driver
// need.
package folder

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
)

// Node is the only node.
const Node = "node-0"

// Client reads claims from NAMESPACE.NAME.json in the folder. Deleting slices prints a line on
// standard error.
func Client(folder string) kubernetes.Interface {
	client := fake.NewClientset(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: Node, UID: "node-uid"}})
	client.PrependReactor("get", "resourceclaims", func(action testing.Action) (bool, runtime.Object, error) {
		get := action.(testing.GetAction)
		claim, err := read(folder, get.GetNamespace(), get.GetName())
		return true, claim, err
	})
	client.PrependReactor("delete-collection", "resourceslices", func(action testing.Action) (bool, runtime.Object, error) {
		selector := action.(testing.DeleteCollectionAction).GetListRestrictions().Fields
		fmt.Fprintln(os.Stderr, "wiped:", selector)
		return true, nil, nil
	})
	return client
}

func read(folder, namespace, name string) (*resourceapi.ResourceClaim, error) {
	content, err := os.ReadFile(filepath.Join(folder, namespace+"."+name+".json"))
	if os.IsNotExist(err) {
		return nil, apierrors.NewNotFound(resourceapi.Resource("resourceclaims"), name)
	}
	if err != nil {
		return nil, err
	}
	claim := &resourceapi.ResourceClaim{}
	return claim, json.Unmarshal(content, claim)
}
