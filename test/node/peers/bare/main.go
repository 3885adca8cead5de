// bare is a plugin without the Go helper: its flags determine what it reports, and its answers
// follow no rules.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type plugin struct {
	drapb.UnimplementedDRAPluginServer
	registerapi.UnsafeRegistrationServer
	info registerapi.PluginInfo
	big  int
	null bool
	slow time.Duration
	age  time.Duration
}

func main() {
	p := &plugin{}
	var versions, kind string
	flag.StringVar(&kind, "type", "DRAPlugin", "what GetInfo says")
	flag.StringVar(&p.info.Name, "name", "bare.example.com", "what GetInfo says")
	flag.StringVar(&p.info.Endpoint, "endpoint", "", "what GetInfo says")
	flag.StringVar(&versions, "versions", "v1.DRAPlugin", "what GetInfo says, separated by commas")
	flag.IntVar(&p.big, "big", 0, "bytes of an answer to NodePrepareResources")
	flag.DurationVar(&p.slow, "slow", 0, "time that NodePrepareResources takes")
	flag.DurationVar(&p.age, "max-connection-age", time.Hour, "time after which a connection gets a GOAWAY")
	flag.BoolVar(&p.null, "null", false, "null as the answer for each claim")
	socket := flag.String("socket", "", "registration socket, and the endpoint if none is named")
	count := flag.Int("count", 1, "so many plugins: the others have -1, -2, … behind the socket and before the name")
	flag.Parse()
	p.info.Type = kind
	if versions != "" {
		p.info.SupportedVersions = strings.Split(versions, ",")
	}
	for i := 1; i < *count; i++ {
		other := &plugin{big: p.big, null: p.null, info: registerapi.PluginInfo{
			Type: kind, Name: fmt.Sprintf("n%d.%s", i, p.info.Name), SupportedVersions: p.info.SupportedVersions}}
		go other.serve(fmt.Sprintf("%s-%d", *socket, i))
	}
	p.serve(*socket)
}

func (p *plugin) serve(socket string) {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
	server := grpc.NewServer(grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionAge: p.age}))
	registerapi.RegisterRegistrationServer(server, p)
	drapb.RegisterDRAPluginServer(server, p)
	_ = server.Serve(listener)
}

func (p *plugin) GetInfo(context.Context, *registerapi.InfoRequest) (*registerapi.PluginInfo, error) {
	fmt.Println("GetInfo")
	return &p.info, nil
}

func (p *plugin) NotifyRegistrationStatus(_ context.Context, status *registerapi.RegistrationStatus) (*registerapi.RegistrationStatusResponse, error) {
	fmt.Println("status", status.PluginRegistered, status.Error)
	return &registerapi.RegistrationStatusResponse{}, nil
}

func (p *plugin) NodePrepareResources(_ context.Context, request *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	time.Sleep(p.slow)
	answer := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
	for _, claim := range request.Claims {
		if p.null {
			answer.Claims[claim.Uid] = nil
			continue
		}
		answer.Claims[claim.Uid] = &drapb.NodePrepareResourceResponse{
			Devices: []*drapb.Device{{PoolName: "node-0", DeviceName: strings.Repeat("x", p.big)}}}
	}
	return answer, nil
}
