package cute_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
)

// TestProfile: the launches of a function are counted by line of the Go source; those of one kernel with one grid are added.
func TestProfile(t *testing.T) {
	dev, _ := open(t)
	x := vector(t, dev, 100)
	call := cute.Jit(runScale)
	var out bytes.Buffer
	check(t, cute.Profile(&out, cute.ProfileOptions{Target: "sm_90", JSON: true}, func() error {
		return errors.Join(call(cute.Of[float32](x), 2), call(cute.Of[float32](x), 0.5), dev.Sync(t.Context()))
	}))
	wantEach(t, x, func(i int) float32 { return float32(i) })
	var reports []struct {
		Kernel, Product  string
		Launches, Blocks int
		Lines            []struct {
			Name  string
			Count struct {
				Global struct{ Requests, Asked, Sectors int }
			}
		}
	}
	check(t, json.Unmarshal(out.Bytes(), &reports))
	if len(reports) != 1 || reports[0].Kernel != "scale" || reports[0].Launches != 2 || reports[0].Blocks != 4 || reports[0].Product != "H100 SXM" {
		t.Fatalf("%s", out.Bytes())
	}
	source := must(os.ReadFile("kernels_test.go"))(t)
	before, _, _ := strings.Cut(string(source), "x.Set(f*x.At(i), i)")
	line := fmt.Sprintf("kernels_test.go:%d", 1+strings.Count(before, "\n"))
	for _, l := range reports[0].Lines {
		if strings.HasSuffix(l.Name, line) {
			// 4 warps, of which the last has 4 threads that work; each loads and stores.
			if g := l.Count.Global; g.Requests != 2*2*4 || g.Asked != 2*2*400 || g.Sectors != 2*2*13 {
				t.Errorf("%+v", g)
			}
			return
		}
	}
	t.Errorf("no line %s in\n%s", line, out.Bytes())
}

func TestProfileMistakes(t *testing.T) {
	var out bytes.Buffer
	nothing := func() error { return nil }
	failed := errors.New("failed")
	if err := cute.Profile(&out, cute.ProfileOptions{}, func() error { return failed }); !errors.Is(err, failed) || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
	wantError(t, cute.Profile(&out, cute.ProfileOptions{Target: "sm_70"}, nothing), `no rates are known for "sm_70"`)
	wantError(t, cute.Profile(nil, cute.ProfileOptions{}, nothing), "the writer is nil")
	wantError(t, cute.Profile(&out, cute.ProfileOptions{}, nil), "the function is nil")
	wantError(t, cute.Profile(&out, cute.ProfileOptions{}, func() error {
		return cute.Profile(&out, cute.ProfileOptions{}, nothing)
	}), "another profile is being taken")
	wantError(t, cute.Profile(&out, cute.ProfileOptions{}, nothing), "no launch has ended on a CPU device") // the profile before has ended
}
