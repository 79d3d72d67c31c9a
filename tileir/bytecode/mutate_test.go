package bytecode_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// mutationsEnv chooses the mutants of TestMutations: "5000" for so many, which takes two minutes on two cores, "5000@7" with
// another seed, "1234-1235@7" for one of them. TestMutations prints that for each mutant that it complains of.
const mutationsEnv = "CUTILE_MUTATIONS"

// trial is a mutant with everybody's opinion.
type trial struct {
	seed     uint64
	number   int
	base     string
	steps    []string // what was done to the base
	m        *Module
	version  Version
	arch     string         // that tileiras is asked for
	verify   []*VerifyError // faults that Verify finds
	target   []*VerifyError // faults that VerifyTarget finds, for an architecture that has every element type
	data     []byte
	write    error
	dis, asm outcome
}

// String says how the mutant came about and can be made again.
func (r *trial) String() string {
	return fmt.Sprintf("%s=%d-%d@%d: %s in %v for %s; %s", mutationsEnv, r.number, r.number+1, r.seed, r.base, r.version, r.arch,
		strings.Join(r.steps, "; "))
}

// newTrial makes a mutant. The same seed and number give the same one.
func newTrial(seed uint64, number int, refs []refFile, count *tally) *trial {
	rnd := rand.New(rand.NewPCG(seed, uint64(number)))
	u := newMutant(rnd, number, refs)
	r := &trial{seed: seed, number: number, base: u.base, steps: u.mutate(count), m: u.m, version: u.version, arch: "sm_107"}
	r.verify = faults(u.m.Verify(u.version))
	r.data, r.write = bytecode.Write(u.m, u.version, bytecode.Options{})
	if r.verify != nil {
		return r
	}
	if arch := pick(rnd, Archs()); VerifyTarget(u.m, arch) == nil {
		r.arch = arch
	}
	r.target = faults(VerifyTarget(u.m, r.arch))
	return r
}

// faults takes a joined error apart.
func faults(err error) []*VerifyError {
	if err == nil {
		return nil
	}
	var out []*VerifyError
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var v *VerifyError
		if !errors.As(e, &v) {
			panic(fmt.Sprintf("%v is no *VerifyError", e))
		}
		out = append(out, v)
	}
	return out
}

// chosen reads mutationsEnv.
func chosen(t *testing.T) (from, to int, seed uint64) {
	from, to, seed = 0, 300, 1
	text := os.Getenv(mutationsEnv)
	if text == "" {
		return
	}
	number, rest, _ := strings.Cut(text, "@")
	if rest != "" {
		if _, err := fmt.Sscan(rest, &seed); err != nil {
			t.Fatalf("%s=%q: %v", mutationsEnv, text, err)
		}
	}
	if _, err := fmt.Sscanf(number, "%d-%d", &from, &to); err != nil {
		from = 0
		if _, err := fmt.Sscan(number, &to); err != nil {
			t.Fatalf("%s=%q: %v", mutationsEnv, text, err)
		}
	}
	return
}

// TestMutations changes valid modules at random and compares what Verify says with what NVIDIA's tools say. Without
// CUTILE_MUTATIONS it takes 300 of the 5,000 that scripts run.
func TestMutations(t *testing.T) {
	dis, asm := testenv.Tool(t, "tileirdisasm"), testenv.Tool(t, "tileiras")
	from, to, seed := chosen(t)
	count := newTally()
	refs := slices.DeleteFunc(refFiles(t), func(f refFile) bool { return len(f.data) > 2000 }) // others take long to compile
	verdicts := make([]verdict, to-from)
	jobs := make(chan *trial)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		path := filepath.Join(t.TempDir(), "k.tileirbc")
		wg.Go(func() {
			for r := range jobs {
				r.ask(t, dis, asm, path)
				verdicts[r.number-from] = r.judge()
			}
		})
	}
	for n := from; n < to; n++ {
		jobs <- newTrial(seed, n, refs, count)
	}
	close(jobs)
	wg.Wait()
	kinds := map[string]int{}
	for _, v := range verdicts {
		kinds[v.kind]++
		for _, row := range v.rows {
			count.rows[row]++
		}
		for _, p := range v.problems {
			t.Errorf("%s:\n%s", v.trial, p)
		}
	}
	t.Logf("%d mutants: %v", len(verdicts), kinds)
	if len(verdicts) >= 5000 {
		count.complete(t)
	}
}

// complete checks that a long run reached everything.
func (c *tally) complete(t *testing.T) {
	for _, k := range mutations {
		if c.kinds[k.name] < 10 {
			t.Errorf("only %d mutations of the kind %q", c.kinds[k.name], k.name)
		}
	}
	for _, in := range bodyInfos() {
		if c.ops[in.Mnemonic] == 0 {
			t.Errorf("no mutation changed a %s", in.Mnemonic)
		}
	}
	for _, row := range slices.Concat(stricter, uncompiled, crashes) {
		t.Logf("%5d %s", c.rows[row.why], row.why)
	}
}
