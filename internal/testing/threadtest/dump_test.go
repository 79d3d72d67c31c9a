package threadtest_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestDumpSeed shows the module of the seed that THREADFUZZ_DUMP names, and its PTX.
func TestDumpSeed(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("THREADFUZZ_DUMP"))
	if err != nil {
		t.Skip("THREADFUZZ_DUMP names no seed")
	}
	p := nativefuzz.Generate(uint64(n))
	t.Log(p.Text())
	m, _, err := threadtest.Compile(p.Module, p.Module.Entries[0].Name, "sm_80", threads.Options{Exact: true})
	t.Log(err)
	if m != nil {
		s, err := ptx.Write(m, "sm_80")
		t.Log(string(s), err)
	}
}
