package mutants

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/cutecases"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// breaking is the CPU engine, which changes each module of the SIMT level before it runs it.
type breaking struct {
	*cpu.Device
	change func(*simt.Module) error
}

// LoadSIMT implements [engine.SIMT].
func (b breaking) LoadSIMT(ctx context.Context, m *simt.Module, image []byte) (engine.SIMTModule, error) {
	if err := b.change(m); err != nil {
		return nil, err
	}
	return b.Device.LoadSIMT(ctx, m, image)
}

// broken runs an example after a change to its modules, for at most some time where most is not 0. It compiles them for itself,
// since the change stays in them.
func broken(e cutecases.Case, most time.Duration, change func(*simt.Module) error) ([]float32, error) {
	limits := limit.Default
	limits.Run = most
	dev, err := device.New(breaking{cpu.New(cpu.Options{CheckAssumes: true, Limits: limits}), change}, limits)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	return e.Run(dev, cute.Options{NoCache: true, Output: nowhere{}})
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// perOperator is how many places of an operator are tried.
func perOperator() int {
	if testenv.Required("slow") {
		return 3
	}
	return 1
}

// right gives an example's results where nothing is broken.
func right(t *testing.T, e cutecases.Case) []float32 {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	want, err := e.Run(dev, cute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// harmless is changes that change nothing, by example, operator and place, with the reason.
var harmless = map[string]string{
	"rmsnorm/a dropped barrier/1":  "BlockReduce guards its memory for the next call of it, and there is none",
	"rmsnorm/a wrong lane/0":       "a sum over all lanes with other partners is the same sum",
	"rmsnorm/a wrong lane/1":       "the same",
	"rmsnorm/a wrong lane/2":       "the same",
	"rmsnorm/a turned predicate/1": "the loop that does one turn at a time does all, not four at once",
	"rmsnorm/a wrong comparison/2": "the same",
	"rmsnorm/operands exchanged/2": "the same",
}

// endless is changes after which a kernel does not end, by example, operator and place: each is ended after endlessTime.
var endless = map[string]bool{
	"sgemm/a lost predicate/0":     true, // the test of a loop
	"tensorop/a lost predicate/0":  true,
	"attention/a lost predicate/0": true,
}

const endlessTime = 300 * time.Millisecond

// TestExamples: whatever is broken in an example's kernels is noticed.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and says nothing about races")
	}
	for _, e := range cutecases.Cases {
		t.Run(e.Name, func(t *testing.T) {
			want, noticed := right(t, e), 0
			for _, op := range operators {
				for n := range perOperator() {
					did, name, most := "", fmt.Sprintf("%s/%s/%d", e.Name, op.name, n), time.Duration(0)
					if endless[name] {
						most = endlessTime
					}
					got, err := broken(e, most, func(m *simt.Module) error {
						for _, k := range m.Kernels { // an example may compile several times
							if what := op.change(k, n); what != "" {
								did = what
								break
							}
						}
						return nil
					})
					if did == "" && err == nil {
						break // no further place fits either
					}
					switch {
					case did == "":
						t.Fatal(err)
					case endless[name]:
						if err == nil || !strings.Contains(err.Error(), limit.Hint("Run")) {
							t.Errorf("%s ends: %v (%s)", did, err, name)
						}
						noticed++
					case err == nil && slices.EqualFunc(got, want, sameBits):
						if harmless[name] == "" {
							t.Errorf("survived: %s (%s)", did, name)
						}
					default:
						noticed++
						if harmless[name] != "" {
							t.Errorf("noticed, though it is listed as harmless: %s (%s)", did, name)
						}
					}
				}
			}
			if noticed < 4*perOperator() {
				t.Errorf("only %d mutants", noticed)
			}
		})
	}
}

// TestWriter: whatever is broken in the PTX of the examples is noticed where it is read back and run.
func TestWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and says nothing about races")
	}
	used := map[string]bool{}
	for _, e := range cutecases.Cases {
		t.Run(e.Name, func(t *testing.T) {
			want := right(t, e)
			for _, op := range textOperators {
				did := ""
				got, err := broken(e, 0, func(m *simt.Module) error {
					text, err := ptx.Write(m, "sm_90a")
					if err != nil {
						return err
					}
					was := string(text)
					now := op.change(was)
					if now == was {
						return nil
					}
					did = op.name
					return readInto(m, []byte(now))
				})
				switch {
				case did == "" && err != nil:
					t.Fatal(err)
				case did == "":
				case err == nil && slices.EqualFunc(got, want, sameBits):
					t.Errorf("survived: %s", did)
				default:
					used[did] = true
				}
			}
		})
	}
	for _, op := range textOperators {
		if !used[op.name] {
			t.Errorf("%s changed nothing", op.name)
		}
	}
}

// readInto replaces the kernels of a module by those of a text.
func readInto(m *simt.Module, text []byte) error {
	back, err := ptx.Read(text)
	if err != nil {
		return err
	}
	if len(back.Kernels) != len(m.Kernels) {
		return errors.New("kernels are missing")
	}
	for i, k := range m.Kernels {
		back.Kernels[i].Shared = k.Shared
	}
	m.Kernels = back.Kernels
	return simt.Verify(m, "sm_90a")
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
