// Pause holds a pod's namespaces: it waits, and reaps what the pod's containers leave behind.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func reap() {
	for {
		if child, _ := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); child <= 0 {
			return
		}
	}
}

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			os.Exit(0)
		}
		reap()
	}
}
