// Package wire is the protocol of allocation-judge: a request as a line of JSON, its answer as a line, in order.
package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// DeviceRef names a device, or one share of it.
type DeviceRef struct {
	Driver  string `json:"driver"`
	Pool    string `json:"pool"`
	Device  string `json:"device"`
	ShareID string `json:"shareID,omitempty"`
}

// DeviceUse is the total consumption of all shares of a device.
type DeviceUse struct {
	DeviceRef
	Capacity map[string]resource.Quantity `json:"capacity"`
}

// Device is a device as a selector sees it.
type Device struct {
	Driver                   string                                                    `json:"driver"`
	AllowMultipleAllocations *bool                                                     `json:"allowMultipleAllocations,omitempty"`
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute `json:"attributes,omitempty"`
	Capacity                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity  `json:"capacity,omitempty"`
}

// Request is one question.
type Request struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"` // allocate, selector
	Features []string `json:"features"`

	// allocate
	Classes            []*resourceapi.DeviceClass   `json:"classes,omitempty"`
	Slices             []*resourceapi.ResourceSlice `json:"slices,omitempty"`
	Node               *v1.Node                     `json:"node,omitempty"`
	Claims             []*resourceapi.ResourceClaim `json:"claims,omitempty"`
	AllocatedDevices   []DeviceRef                  `json:"allocatedDevices,omitempty"`
	AllocatedShares    []DeviceRef                  `json:"allocatedShares,omitempty"`
	AggregatedCapacity []DeviceUse                  `json:"aggregatedCapacity,omitempty"`
	TimeoutMs          *int64                       `json:"timeoutMs,omitempty"` // 0: time is up already

	// selector
	Expression  string  `json:"expression,omitempty"`
	Environment string  `json:"environment,omitempty"` // NewExpressions, StoredExpressions
	Device      *Device `json:"device,omitempty"`

	// Measures instead: how long each question takes. See measure.go of the reference.
	Measure *Measure `json:"measure,omitempty"`
}

// Measure asks for figures: of Allocate on each of `nodes` nodes named node-N, or of memory.
type Measure struct {
	What  string `json:"what"` // time, memory
	Nodes int    `json:"nodes,omitempty"`
	Once  bool   `json:"once,omitempty"` // it takes long
}

// Figures answers Measure.
type Figures struct {
	Nanoseconds      float64 `json:"nanoseconds,omitempty"`      // of one question, or of all nodes
	FirstNanoseconds float64 `json:"firstNanoseconds,omitempty"` // until a node fits
	Bytes            uint64  `json:"bytes,omitempty"`            // of the slices
	Outcome          string  `json:"outcome,omitempty"`          // on how many nodes it fits
}

// Answer is one answer.
type Answer struct {
	ID string `json:"id"`

	// allocate: one result for each claim, in order; none: no fit, or an error.
	Results []resourceapi.AllocationResult `json:"results,omitempty"`
	Error   string                         `json:"error,omitempty"`
	// With an error: whether it concerns only this node, otherwise it is fatal for the pod; and
	// whether a time limit caused it.
	OnlyThisNode bool   `json:"onlyThisNode,omitempty"`
	Interrupted  bool   `json:"interrupted,omitempty"`
	Steps        *int64 `json:"steps,omitempty"`

	// selector: one of the first three.
	Match        *bool   `json:"match,omitempty"`
	CompileError string  `json:"compileError,omitempty"`
	RuntimeError string  `json:"runtimeError,omitempty"`
	MaxCost      *uint64 `json:"maxCost,omitempty"`
	ActualCost   *uint64 `json:"actualCost,omitempty"`

	Figures *Figures `json:"figures,omitempty"`
}

// How long an answer may take, even on a busy machine.
const patience = 60 * time.Second

// Process answers requests; it is started on the first one, and restarted after it has ended.
type Process struct {
	Command string

	in    io.WriteCloser
	lines chan []byte
	end   func()
}

// Judged is the process under test, Reference the process with Kubernetes' own code.
var (
	Judged    = Process{Command: os.Getenv("JUDGED")}
	Reference = Process{Command: os.Getenv("JUDGE_REFERENCE")}
)

func (p *Process) start() error {
	words := strings.Fields(p.Command)
	if len(words) == 0 {
		return errors.New("the environment names no command")
	}
	command := exec.Command(words[0], words[1:]...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	lines := make(chan []byte)
	go func() {
		scanner := NewScanner(out)
		for scanner.Scan() {
			lines <- append([]byte(nil), scanner.Bytes()...)
		}
		close(lines)
		_ = command.Wait()
	}()
	p.in, p.lines, p.end = in, lines, func() { _ = command.Process.Kill() }
	return nil
}

// NewScanner reads lines as long as the slices of a cluster.
func NewScanner(in io.Reader) *bufio.Scanner {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 1<<20), 512<<20)
	return scanner
}

// Ask sends a request and waits for its answer. After an error the process is restarted.
func (p *Process) Ask(request Request) (answer Answer, err error) {
	if p.end == nil {
		if err := p.start(); err != nil {
			return answer, err
		}
	}
	defer func() {
		if err != nil {
			p.end()
			p.end = nil
		}
	}()
	line, err := Marshal(request)
	if err != nil {
		return answer, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return answer, fmt.Errorf("it takes no requests: %w", err)
	}
	select {
	case text, ok := <-p.lines:
		if !ok {
			return answer, errors.New("it ended without an answer")
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return answer, fmt.Errorf("bad answer %.200q: %w", text, err)
		}
	case <-time.After(patience):
		return answer, fmt.Errorf("no answer within %v", patience)
	}
	if answer.ID != request.ID {
		return answer, fmt.Errorf("an answer to %q instead of %q", answer.ID, request.ID)
	}
	return answer, nil
}
