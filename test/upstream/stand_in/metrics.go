package standin

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/dynamic-resource-allocation/resourceclaim/metrics"
)

const creates = "dynamic_resource_allocation_resourceclaim_creates_total{"

var label = regexp.MustCompile(`([a-z_]+)="([^"]*)"`)

// MirrorCreates adds the manager's counts to the counter that the tests read in their own process.
func MirrorCreates(ctx context.Context, address string) {
	// The certificate is self-signed by the manager.
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	seen := map[string]float64{}
	for ctx.Err() == nil {
		if answer, err := client.Get("https://" + address + "/metrics"); err == nil {
			addCreates(answer.Body, seen)
			answer.Body.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func addCreates(text io.Reader, seen map[string]float64) {
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		series, number, found := strings.Cut(lines.Text(), "} ")
		if !found || !strings.HasPrefix(series, creates) {
			continue
		}
		count, err := strconv.ParseFloat(number, 64)
		must(err)
		labels := map[string]string{}
		for _, pair := range label.FindAllStringSubmatch(series, -1) {
			labels[pair[1]] = pair[2]
		}
		// Panics if our labels differ from the reference's.
		metrics.ResourceClaimCreate.With(labels).Add(count - seen[series])
		seen[series] = count
	}
}
