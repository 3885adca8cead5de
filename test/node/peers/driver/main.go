// driver is a DRA driver made with the Go helper that fails on request. Lines on standard input, each an object, say how
// from then on; lines on standard output are its journal:
//
//	{"mode":"refuse"}        both calls end with an error
//	{"mode":"refuse-claims"} each claim has an error
//	{"mode":"skip"}          an answer for no claim
//	{"mode":"wrong-uid"}     answers for other claims only
//	{"mode":"extra-uid"}     an answer for one claim more
//	{"mode":"hang"}          until the caller gives up or this process ends
//	{"mode":"no-devices"}    success, without devices
//	{"mode":""}              as a driver should
//	{"getInfoError":"…"}     registration fails: GetInfo, or the answer to its status
//	{"statusError":"…"}
//	{"health":[{"pool":"p","device":"d","health":"Unhealthy","message":"…","seconds":30}]}
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"google.golang.org/grpc"

	"peers/folder"
)

type order struct {
	Mode         *string
	GetInfoError *string
	StatusError  *string
	Health       []struct {
		Pool, Device, Health, Message string
		Seconds                       int // its validity; 0: the node's default
	}
}

type driver struct {
	name       string
	checkpoint string
	mutex      sync.Mutex
	mode       string
	reports    chan kubeletplugin.DeviceHealthReport
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

func main() {
	d := &driver{reports: make(chan kubeletplugin.DeviceHealthReport, 100)}
	flag.StringVar(&d.name, "name", "", "name of the driver")
	flag.StringVar(&d.checkpoint, "checkpoint", "", "the node's checkpoint, which must know a claim before the driver does")
	registry := flag.String("registry", "", "folder of registration sockets")
	data := flag.String("data", "", "folder of the endpoint")
	claims := flag.String("claims", "", "folder of claims")
	uid := flag.String("pod-uid", "", "for rolling updates")
	v1 := flag.Bool("v1", true, "serve v1.DRAPlugin")
	flag.Parse()
	check(os.MkdirAll(*data, 0o755))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	options := []kubeletplugin.Option{
		kubeletplugin.DriverName(d.name),
		kubeletplugin.NodeName(folder.Node),
		kubeletplugin.KubeClient(folder.Client(*claims)),
		kubeletplugin.RegistrarDirectoryPath(*registry),
		kubeletplugin.PluginDataDirectoryPath(*data),
		kubeletplugin.NodeV1(*v1),
		kubeletplugin.GRPCInterceptor(d.note),
	}
	if *uid != "" {
		options = append(options, kubeletplugin.RollingUpdate(types.UID(*uid)))
	}
	helper, err := kubeletplugin.Start(ctx, d, options...)
	check(err)
	go d.obey(helper)
	<-ctx.Done()
	helper.Stop()
}

func (d *driver) obey(helper *kubeletplugin.Helper) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var o order
		check(json.Unmarshal(lines.Bytes(), &o))
		if o.Mode != nil {
			d.mutex.Lock()
			d.mode = *o.Mode
			d.mutex.Unlock()
		}
		if o.GetInfoError != nil {
			helper.SetGetInfoError(errorOf(*o.GetInfoError))
		}
		if o.StatusError != nil {
			helper.SetNotifyRegistrationStatusError(errorOf(*o.StatusError))
		}
		if o.Health != nil {
			d.report(o)
		}
		fmt.Println("obeyed")
	}
}

func errorOf(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

func (d *driver) report(o order) {
	var report kubeletplugin.DeviceHealthReport
	for _, h := range o.Health {
		report.Devices = append(report.Devices, kubeletplugin.DeviceHealth{
			PoolName: h.Pool, DeviceName: h.Device, Health: kubeletplugin.HealthStatus(h.Health), Message: h.Message,
			HealthCheckTimeout: time.Duration(h.Seconds) * time.Second})
	}
	d.reports <- report
}

// note records how registrations end, after the node has received the answer.
func (d *driver) note(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	answer, err := handle(ctx, request)
	if status, ok := request.(*registerapi.RegistrationStatus); ok {
		fmt.Println("status", status.PluginRegistered, status.Error)
	}
	return answer, err
}

// begin records a call and returns how it must end.
func (d *driver) begin(ctx context.Context, what string, uids []string) (string, error) {
	sort.Strings(uids)
	line := what + " " + strings.Join(uids, " ")
	if what == "prepare" && d.checkpoint != "" {
		content, _ := os.ReadFile(filepath.Clean(d.checkpoint))
		for _, uid := range uids {
			if !strings.Contains(string(content), uid) {
				line += " BEFORE-THE-CHECKPOINT"
			}
		}
	}
	fmt.Println(line)
	d.mutex.Lock()
	mode := d.mode
	d.mutex.Unlock()
	switch mode {
	case "refuse":
		return mode, errors.New("refused")
	case "hang":
		<-ctx.Done()
		fmt.Println("cancelled", what)
		return mode, ctx.Err()
	}
	return mode, nil
}

func (d *driver) PrepareResourceClaims(ctx context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	var uids []string
	for _, claim := range claims {
		uids = append(uids, string(claim.UID))
	}
	mode, err := d.begin(ctx, "prepare", uids)
	if err != nil {
		return nil, err
	}
	answers := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		result := kubeletplugin.PrepareResult{}
		if mode != "no-devices" {
			result.Devices = d.devices(claim)
		}
		if mode == "refuse-claims" {
			result = kubeletplugin.PrepareResult{Err: errors.New("this claim is refused")}
		}
		answers[claim.UID] = result
	}
	return bend(mode, answers), nil
}

func (d *driver) UnprepareResourceClaims(ctx context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	var uids []string
	for _, claim := range claims {
		uids = append(uids, string(claim.UID))
	}
	mode, err := d.begin(ctx, "unprepare", uids)
	if err != nil {
		return nil, err
	}
	answers := map[types.UID]error{}
	for _, claim := range claims {
		answers[claim.UID] = nil
		if mode == "refuse-claims" {
			answers[claim.UID] = errors.New("this claim is refused")
		}
	}
	return bend(mode, answers), nil
}

// bend turns the right answers into those of a mode.
func bend[Answer any](mode string, answers map[types.UID]Answer) map[types.UID]Answer {
	var none Answer
	switch mode {
	case "skip":
		clear(answers)
	case "wrong-uid":
		clear(answers)
		answers["nobodys-uid"] = none
	case "extra-uid":
		answers["nobodys-uid"] = none
	}
	return answers
}

// devices of the claim's allocation that belong to this driver.
func (d *driver) devices(claim *resourceapi.ResourceClaim) (devices []kubeletplugin.Device) {
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.Driver != d.name {
			continue
		}
		id := result.Device
		if strings.HasPrefix(id, "c4-") {
			id = "c4-both" // devices of a claim may share a CDI device
		}
		devices = append(devices, kubeletplugin.Device{
			Requests:     []string{result.Request},
			PoolName:     result.Pool,
			DeviceName:   result.Device,
			ShareID:      result.ShareID,
			CDIDeviceIDs: []string{d.name + "/gpu=" + id},
		})
	}
	return devices
}

func (d *driver) HandleError(_ context.Context, err error, message string) {
	fmt.Fprintln(os.Stderr, "driver:", message, err)
}

func (d *driver) WatchHealthStatus(ctx context.Context, reports chan<- kubeletplugin.DeviceHealthReport) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case report := <-d.reports:
			reports <- report
		}
	}
}
