package judge

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"testing"

	"k8s.io/dynamic-resource-allocation/internal/wire"
	"k8s.io/dynamic-resource-allocation/structured/internal/allocatortesting"
)

var (
	worlds = flag.Int("worlds", 100, "how many random worlds")
	seed   = flag.Int64("seed", 1, "of the first world")
	dump   = flag.String("dump", "", "a file for the worlds")
)

// The time limit of Kubernetes' allocator for a world; slower ones are skipped.
const milliseconds = int64(5000)

// TestWorlds gives each random world to the process under test and to Kubernetes' allocator:
// results and error texts must be equal, and steps at most as many.
func TestWorlds(t *testing.T) {
	counts, lines := map[string]int{}, []byte(nil)
	for i := range int64(*worlds) {
		world := newWorld(rand.New(rand.NewSource(*seed + i)))
		world.ID = fmt.Sprint("seed ", *seed+i)
		limit := milliseconds
		world.TimeoutMs = &limit
		if *dump != "" {
			line, _ := wire.Marshal(world)
			lines = append(append(lines, line...), '\n')
		}
		want, err := wire.Reference.Ask(world)
		if err != nil {
			t.Fatal(err)
		}
		if want.Interrupted {
			counts["too long for Kubernetes' allocator"]++
			continue
		}
		t.Run(world.ID, func(t *testing.T) {
			got, err := wire.Judged.Ask(world)
			if err != nil {
				t.Fatal(err)
			}
			if want.Error != got.Error || want.OnlyThisNode != got.OnlyThisNode {
				t.Fatalf("want error %q (only this node: %v), got %q (%v)", want.Error, want.OnlyThisNode, got.Error, got.OnlyThisNode)
			}
			if want, got := allocatortesting.Text(want.Results), allocatortesting.Text(got.Results); want != got {
				t.Fatalf("want %s\ngot  %s", want, got)
			}
			if got.Steps != nil && *got.Steps > *want.Steps {
				t.Fatalf("want at most %d steps, got %d", *want.Steps, *got.Steps)
			}
		})
		switch {
		case want.Error != "":
			counts["errors"]++
		case len(want.Results) > 0:
			counts["fit"]++
		default:
			counts["do not"]++
		}
	}
	if *dump != "" {
		if err := os.WriteFile(*dump, lines, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("COUNTS %v\n", counts)
}
