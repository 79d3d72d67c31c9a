package threadtest_test

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestRandom runs random modules as PTX on the emulator and on the CPU engine's interpreter. THREADFUZZ_MODULES says how many, and
// THREADFUZZ_SEED where to begin.
func TestRandom(t *testing.T) {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	r, err := nativefuzz.NewEngineRunner(10*time.Second, threadtest.Emulator("sm_80", threads.Options{Exact: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first, count := number("THREADFUZZ_SEED", 0), number("THREADFUZZ_MODULES", 100)
	why, equal := map[string]int{}, 0
	for seed := first; seed < first+count; seed++ {
		p := nativefuzz.Generate(uint64(seed))
		rep, err := r.Run(p)
		switch {
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
		case rep.Diff != "":
			t.Errorf("seed %d: %s", seed, rep.Diff)
		case rep.Why != "":
			why[kind(rep.Why)]++
		case !rep.Refused && !rep.Fault:
			equal++
		}
	}
	t.Logf("%d of %d equal", equal, count)
	for _, w := range slices.SortedFunc(maps.Keys(why), func(a, b string) int { return why[b] - why[a] }) {
		t.Logf("%d refused: %s", why[w], w)
	}
}

// kind leaves numbers out of a reason.
func kind(why string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, why)
}
