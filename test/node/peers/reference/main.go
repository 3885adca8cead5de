// reference is kubelet's own DRA manager and plugin manager, without the rest of kubelet. It does what lines on
// standard input say, each an object, and answers each with one:
//
//	{"do":"prepare","pod":{…}}              {} or {"error":"…"}
//	{"do":"unprepare","pod":{…}}
//	{"do":"active","uids":["…"]}            the pods that are active, from now on
//	{"do":"registered"}                     {"sockets":["…"]}
//	{"do":"resources","pod":{…},"container":"c"}   {"cdi":["…"]}
//	{"do":"health","pod":{…},"container":"c"}      {"health":["cdi-id Healthy message"]}
//	{"do":"round_trips","socket":"…","count":1000} {"microseconds":59.5}  of GetInfo, one after the other
//
// Its API server is a folder: claims are NAMESPACE.NAME.json in it. Its deletions there are reported on standard error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/dra"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager"

	"peers/folder"
)

// pods are the active ones; before they are known, kubelet's reconcile loop does nothing.
type pods struct {
	mutex  sync.Mutex
	active []*v1.Pod
	told   bool
}

func (p *pods) AddSource(string) {}

func (p *pods) AllReady() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.told
}

func (p *pods) list() []*v1.Pod {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.active
}

func (p *pods) set(uids []types.UID) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.active, p.told = nil, true
	for _, uid := range uids {
		p.active = append(p.active, &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}})
	}
}

type order struct {
	ID        int
	Do        string
	Pod       *v1.Pod
	UIDs      []types.UID
	Container string
	Socket    string
	Count     int
}

type answer struct {
	ID      int      `json:"id"`
	Error   string   `json:"error,omitempty"`
	Sockets []string `json:"sockets,omitempty"`
	CDI     []string `json:"cdi,omitempty"`
	Health  []string `json:"health,omitempty"`

	Microseconds float64 `json:"microseconds,omitempty"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func main() {
	state := flag.String("state", "", "folder of the checkpoint")
	registry := flag.String("registry", "", "folder of registration sockets")
	claims := flag.String("claims", "", "folder of claims")
	klog.InitFlags(nil)
	flag.Parse()
	ctx := context.Background()
	client := folder.Client(*claims)
	manager, err := dra.NewManager(klog.FromContext(ctx), client, *state)
	check(err)
	active := &pods{}
	check(manager.Start(ctx, active.list, nodeGetter(client), active))
	plugins := pluginmanager.NewPluginManager(*registry, record.NewFakeRecorder(1000))
	plugins.AddHandler("DRAPlugin", manager.GetWatcherHandler())
	go plugins.Run(ctx, active, ctx.Done())
	obey(ctx, manager, active)
}

func nodeGetter(client kubernetes.Interface) func(context.Context) (*v1.Node, error) {
	return func(ctx context.Context) (*v1.Node, error) {
		return client.CoreV1().Nodes().Get(ctx, folder.Node, metav1.GetOptions{})
	}
}

func obey(ctx context.Context, manager *dra.Manager, active *pods) {
	var printing sync.Mutex
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var o order
		check(json.Unmarshal(lines.Bytes(), &o))
		go func() {
			a := do(ctx, manager, active, o)
			a.ID = o.ID
			text, err := json.Marshal(a)
			check(err)
			printing.Lock()
			defer printing.Unlock()
			fmt.Println(string(text))
		}()
	}
}

func do(ctx context.Context, manager *dra.Manager, active *pods, o order) answer {
	switch o.Do {
	case "prepare":
		return outcome(manager.PrepareResources(ctx, o.Pod))
	case "unprepare":
		return outcome(manager.UnprepareResources(ctx, o.Pod))
	case "active":
		active.set(o.UIDs)
		return answer{}
	case "registered":
		return answer{Sockets: registered()}
	case "resources":
		return resources(manager, o)
	case "health":
		return health(manager, o)
	case "round_trips":
		return roundTrips(ctx, o)
	default:
		return answer{Error: "unknown order " + o.Do}
	}
}

func roundTrips(ctx context.Context, o order) answer {
	connection, err := grpc.NewClient("unix://"+o.Socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	defer connection.Close()
	client := registerapi.NewRegistrationClient(connection)
	_, err = client.GetInfo(ctx, &registerapi.InfoRequest{}) // connects
	began := time.Now()
	for i := 0; i < o.Count && err == nil; i++ {
		_, err = client.GetInfo(ctx, &registerapi.InfoRequest{})
	}
	a := outcome(err)
	a.Microseconds = float64(time.Since(began).Microseconds()) / float64(o.Count)
	return a
}

func outcome(err error) answer {
	if err == nil {
		return answer{}
	}
	return answer{Error: err.Error()}
}

func resources(manager *dra.Manager, o order) answer {
	for i := range o.Pod.Spec.Containers {
		container := &o.Pod.Spec.Containers[i]
		if container.Name != o.Container {
			continue
		}
		info, err := manager.GetResources(o.Pod, container)
		a := outcome(err)
		if info != nil {
			for _, device := range info.CDIDevices {
				a.CDI = append(a.CDI, device.Name)
			}
		}
		return a
	}
	return answer{Error: "no container " + o.Container}
}

// health is the device health of a container in the pod's status.
func health(manager *dra.Manager, o order) (a answer) {
	status := v1.PodStatus{ContainerStatuses: []v1.ContainerStatus{{Name: o.Container}}}
	manager.UpdateAllocatedResourcesStatus(klog.Background(), o.Pod, &status)
	for _, row := range status.ContainerStatuses[0].AllocatedResourcesStatus {
		for _, device := range row.Resources {
			message := ""
			if device.Message != nil {
				message = *device.Message
			}
			a.Health = append(a.Health, fmt.Sprintf("%s %s %s", device.ResourceID, device.Health, message))
		}
	}
	return a
}

// registered: the plugin manager shows it only in its metrics.
func registered() (sockets []string) {
	families, err := legacyregistry.DefaultGatherer.Gather()
	check(err)
	for _, family := range families {
		if family.GetName() != "plugin_manager_total_plugins" {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["state"] == "actual_state_of_world" {
				sockets = append(sockets, filepath.Base(labels["socket_path"]))
			}
		}
	}
	return sockets
}
