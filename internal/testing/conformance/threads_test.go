package conformance

import (
	"os"
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// unchecked are the cases that ask for what no GPU checks.
var unchecked = map[string]string{"promise/broken": "a promise that does not hold is undefined"}

// TestThreads runs every sixth case as PTX of our own compiler on the emulator, or with CUTILE_OWN=all every case.
func TestThreads(t *testing.T) {
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	out := &Output{}
	eng := threadtest.NewDevice("sm_80", threads.Options{}, cpu.Options{Output: out, CheckAssumes: true})
	d, err := device.Open(eng, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	r := &Runner{Device: d, Output: out}
	every := 6
	if os.Getenv("CUTILE_OWN") == "all" {
		every = 1
	}
	for i, c := range cases {
		if unchecked[c.Name] != "" || i%every != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if err := r.Run(t.Context(), &c, []Way{Direct}); err != nil {
				t.Error(err)
			}
		})
	}
}
