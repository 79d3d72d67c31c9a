//go:build linux && (amd64 || arm64) && !nocuda

package nvtx_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/nvtx"
	"github.com/cutile-go/cutile/internal/testing/nvtxtest"
)

// TestRanges: ranges of goroutines are within each other on each thread.
func TestRanges(t *testing.T) {
	noted := nvtxtest.Profiler(t)
	p, err := nvtx.Attached()
	if err != nil || p == nil {
		t.Fatalf("attached %v, %v", p, err)
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 25 {
				outer := p.Range(fmt.Sprintf("outer %d.%d", n, i))
				inner := p.Range(fmt.Sprintf("inner %d.%d", n, i))
				inner()
				outer()
			}
		})
	}
	all.Wait()
	if again, err := nvtx.Attached(); again != p || err != nil {
		t.Errorf("asked again, it is %v, %v", again, err)
	}
	ranges, open := 0, map[string][]string{}
	for line := range strings.Lines(noted()) {
		thread, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name, ok := strings.CutPrefix(what, "push "); ok {
			open[thread] = append(open[thread], name)
			ranges++
			continue
		}
		stack := open[thread]
		if what != "pop" || len(stack) == 0 {
			t.Fatalf("%s on a thread with the ranges %q", line, stack)
		}
		if len(stack) == 2 && strings.TrimPrefix(stack[0], "outer") != strings.TrimPrefix(stack[1], "inner") {
			t.Errorf("%q is within %q", stack[1], stack[0])
		}
		open[thread] = stack[:len(stack)-1]
	}
	if ranges != 200 {
		t.Errorf("%d ranges", ranges)
	}
}

// TestAttached: what is no profiler is an error, and one that wants no ranges is none.
func TestAttached(t *testing.T) {
	for _, c := range []struct{ option, want string }{{"-DNO_RANGES", ""}, {"-DREFUSES", "NVTX_INJECTION64_PATH: "}, {"-DNO_ENTRY", "has no function InitializeInjectionNvtx2"}} {
		nvtxtest.Profiler(t, c.option)
		p, err := nvtx.Attached()
		if p != nil || (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.option, p, err)
		}
		p.Range("of nobody")()
	}
	for path, want := range map[string]string{"": "", "libnone.so": "NVTX_INJECTION64_PATH: libnone.so"} {
		t.Setenv(nvtx.Env, path)
		if p, err := nvtx.Attached(); p != nil || (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", path, p, err)
		}
	}
}
