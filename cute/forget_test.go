package cute_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/limit"
)

// TestRefusedCodeIsForgotten: another process does not find in the cache folder what a driver refused.
func TestRefusedCodeIsForgotten(t *testing.T) {
	const child = "CUTE_TEST_REFUSES"
	if mode := os.Getenv(child); mode != "" {
		decode := simttest.DecodePTX
		if mode == "yes" {
			decode = func([]byte) (*fake.Cubin, error) { return nil, errors.New("broken") }
		}
		eng, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{Version: 13000, Decode: decode, Run: runPTX}), Oldest: 11000})
		check(t, err)
		dev, err := device.New(eng, limit.Default)
		check(t, err)
		defer dev.Close()
		x, err := cutile.NewTensor[float32](dev, 4)
		check(t, err)
		err = cute.Jit(runScale)(cute.Of[float32](x), 1)
		s := cute.CompileStats()
		fmt.Printf("assembled %d, found %d, refused %v\n", s.Assembled, s.Found, err != nil)
		return
	}
	dir := t.TempDir()
	for _, c := range []struct{ refuses, want string }{
		{"yes", "assembled 1, found 0, refused true"}, {"yes", "assembled 1, found 0, refused true"},
		{"no", "assembled 1, found 0, refused false"}, {"no", "assembled 0, found 1, refused false"},
	} {
		cmd := exec.Command(must(os.Executable())(t), "-test.run=^TestRefusedCodeIsForgotten$")
		cmd.Env = append(os.Environ(), child+"="+c.refuses, "CUTILE_CACHE="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("no %q: %v\n%s", c.want, err, out)
		}
	}
}
