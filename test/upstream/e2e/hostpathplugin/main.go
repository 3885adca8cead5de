// Hostpathplugin is the part of the CSI driver of this name that Kubernetes' tests of DRA use: it joins each connection to
// a Unix socket with one to a TCP port. The test is behind the port, so kubelet reaches the driver in the test.
package main

import (
	"flag"
	"io"
	"log"
	"net"
	"os"
	"strings"
)

func listen(network, address string) net.Listener {
	if network == "unix" {
		os.Remove(address) // of a process that was killed
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		log.Fatal(err)
	}
	return listener
}

func accept(listener net.Listener) net.Conn {
	connection, err := listener.Accept()
	if err != nil {
		log.Fatal(err)
	}
	return connection
}

func pump(from, to net.Conn) {
	defer to.Close()
	io.Copy(to, from)
}

func main() {
	socket := flag.String("endpoint", "", "path of the Unix socket")
	port := flag.String("proxy-endpoint", "", "tcp://HOST:PORT")
	flag.Int("v", 0, "not used")
	flag.Parse()
	kubelet, test := listen("unix", *socket), listen("tcp", strings.TrimPrefix(*port, "tcp://"))
	for {
		caller := accept(kubelet)
		driver := accept(test) // the test connects ahead of time
		go pump(caller, driver)
		go pump(driver, caller)
	}
}
