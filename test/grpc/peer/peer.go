// The other side of runtime/grpc: Go's gRPC, with the health service, which has a method with one answer and one
// with many.
//
//	peer serve SOCKET   until it is killed; a line "down" changes the health, "stop" sends GOAWAY
//	peer call SOCKET    Check, Check of a service that is not there, one that hangs, then Watch to its end
package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	health_v1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(path string) {
	listener, err := net.Listen("unix", path)
	check(err)
	server := grpc.NewServer()
	state := health.NewServer()
	health_v1.RegisterHealthServer(server, state)
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			switch lines.Text() {
			case "down":
				state.SetServingStatus("", health_v1.HealthCheckResponse_NOT_SERVING)
			case "stop":
				go server.GracefulStop() // GOAWAY; open calls continue
			}
		}
	}()
	check(server.Serve(listener))
}

func call(path string) {
	connection, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	client := health_v1.NewHealthClient(connection)
	bounded, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, service := range []string{"", "none"} {
		answer, err := client.Check(bounded, &health_v1.HealthCheckRequest{Service: service})
		fmt.Printf("check %q: %v %v %q\n", service, answer.GetStatus(), status.Code(err), status.Convert(err).Message())
	}
	short, cancelShort := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancelShort()
	_, err = client.Check(short, &health_v1.HealthCheckRequest{Service: "hang"})
	fmt.Printf("hang: %v\n", status.Code(err))
	watch, err := client.Watch(bounded, &health_v1.HealthCheckRequest{})
	check(err)
	for {
		answer, err := watch.Recv()
		if err != nil {
			fmt.Printf("end: %v %q\n", status.Code(err), status.Convert(err).Message())
			return
		}
		fmt.Printf("watch: %v\n", answer.GetStatus())
	}
}

func main() {
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	if os.Args[1] == "serve" {
		serve(os.Args[2])
	} else {
		call(os.Args[2])
	}
}
