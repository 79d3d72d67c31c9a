package conformance

import (
	"archive/zip"
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tileir"
)

// stub stands for tileiras: what it makes, a fake driver loads.
type stub struct{}

func (stub) Versions(context.Context) ([]tileir.Version, error) { return tileir.Versions(), nil }

func (stub) Assemble(_ context.Context, job cuda.Job) ([]byte, error) {
	e := fake.Entry{Name: job.Entry.Name}
	for range job.Entry.Params {
		e.Params = append(e.Params, 8)
	}
	return (&fake.Cubin{Target: job.Target, Payload: job.Bytecode, Entries: []fake.Entry{e}}).Encode(), nil
}

// TestPrebuilt records cases without a GPU and finds every cubin again as the CUDA engine asks for it.
func TestPrebuilt(t *testing.T) {
	r := newCPU(t)
	all := Cases()
	var some []Case
	for i := 0; i < len(all); i += 40 {
		some = append(some, all[i])
	}
	dir, archive := filepath.Join(t.TempDir(), "cubins"), filepath.Join(t.TempDir(), "cubins.zip")
	n, err := r.Record(t.Context(), some, stub{}, dir, []string{"sm_90", "sm_100"})
	if err != nil || n == 0 {
		t.Fatalf("%d cubins: %v", n, err)
	}
	if err := Pack(archive, dir, "tileiras 13.4.92"); err != nil {
		t.Fatal(err)
	}
	cubins, err := cuda.OpenCubins(archive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cubins.(*zip.ReadCloser).Close() })
	for _, major := range []int{9, 10} {
		drv := fake.New(fake.Options{Devices: []fake.Device{{Name: "G", Major: major, Memory: 1 << 30}}})
		dev, err := cuda.Open(0, cuda.Options{Driver: drv, Assembler: &cuda.Prebuilt{FS: cubins}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range some {
			code, err := r.Module(t.Context(), &c)
			if err != nil {
				t.Fatal(err)
			}
			lacks := tileir.VerifyTarget(code.Module, dev.Target()) // such as types of later GPUs: none is recorded
			if _, err := Direct.Compile(t.Context(), dev, code); (err != nil) != (lacks != nil) {
				t.Errorf("%s: %v; the target lacks: %v", c.Name, err, lacks)
			}
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRecordedOwn records cases as PTX of our own compiler, without a tool, and runs them from the archive.
func TestRecordedOwn(t *testing.T) {
	testenv.Alone(t)
	t.Setenv("CUTILE_CACHE", t.TempDir())
	var some []Case
	for i, all := 0, Cases(); i < len(all); i += 40 {
		some = append(some, all[i])
	}
	some = append(some, wideProducts()[:2]...)
	dir, archive := filepath.Join(t.TempDir(), "code"), filepath.Join(t.TempDir(), "code.zip")
	if n, err := newCPU(t).RecordOwn(t.Context(), some, dir, []string{"own:sm_90a"}); err != nil || n == 0 {
		t.Fatalf("%d kernels: %v", n, err)
	}
	if err := Pack(archive, dir, "own"); err != nil {
		t.Fatal(err)
	}
	cubins, err := cuda.OpenCubins(archive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cubins.(*zip.ReadCloser).Close() })
	maps := 0
	for _, c := range some {
		out := &Output{}
		gpu := simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 30}, CUDA: 13040, Output: out}
		from := runDriven(t, &c, &gpu, out, cubins, Direct)
		if len(from) == 0 || !strings.HasPrefix(from[0], "found in the folder of cubins as ") {
			t.Errorf("%s: the code is from %q", c.Name, from)
		} else if strings.HasSuffix(from[0], ".tensors.ptx") {
			maps++
		}
	}
	if maps < 2 {
		t.Errorf("%d kernels have tensor maps", maps)
	}
}

func TestFits(t *testing.T) {
	cubins := fstest.MapFS{"a.sm_90.cubin": {}}
	for _, c := range []struct {
		tool          string
		driver, major int
		want          string
	}{
		{"tileiras 13.4.92", 13040, 9, ""},
		{"tileiras 13.4.92", 13000, 9, ""},
		{"tileiras 13.4.92", 14010, 9, ""},
		{"tileiras 13.4.92", 12090, 9, "the driver supports CUDA 12.9, but cubins of tileiras 13.4.92 need a driver for CUDA 13.0 or later: update the NVIDIA driver"},
		{"tileiras 14.0.1", 13040, 9, "need a driver for CUDA 14.0 or later"},
		{"tileiras 13.4.92", 13040, 12, "there are no cubins for G (sm_120): build them with this architecture"},
		{"tileiras", 13040, 9, "names no version"},
	} {
		err := fits(c.tool+"\n", cuda.Info{Model: "G", Major: c.major, Driver: c.driver}, cubins)
		if got := errText(err); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s with a driver of %d on sm_%d0: %q, want %q", c.tool, c.driver, c.major, got, c.want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestNames holds that each case can be asked for by its name.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases() {
		if seen[c.Name] || strings.ContainsAny(c.Name, " #") {
			t.Errorf("case %q: the name comes twice, or has a blank", c.Name)
		}
		seen[c.Name] = true
	}
}

// TestRefused holds that the checks of this package can fail.
func TestRefused(t *testing.T) {
	r := newCPU(t)
	find := func(name string) Case {
		for _, c := range Cases() {
			if c.Name == name {
				return c
			}
		}
		t.Fatalf("no case %q", name)
		return Case{}
	}
	change := func(name string, f func(s *Setup)) Case {
		c := find(name)
		setup := c.Setup
		c.Setup = nil
		c.Name += " changed"
		c.Setup = func(seed *rand.Rand) Setup { s := setup(seed); f(&s); return s }
		return c
	}
	for _, c := range []struct {
		c    Case
		want string
	}{
		{change("copy/float32/rank2", func(s *Setup) { s.Want[0].Exact[5] ^= 1 }), "elements differ"},
		{change("softmax/float32", func(s *Setup) { s.Want[0].Near[3] += 0.001 }), "at [0 3] want"},
		{change("copy/float32/rank2", func(s *Setup) { s.Want = nil }), "z: element 0 of the memory should stay 93"},
		{change("print", func(s *Setup) { s.Prints = s.Prints[1:] }), "it printed"},
		{change("assert/block", func(s *Setup) { s.Fault.Block[0]++ }), "should fail, but [2 0 0] did"},
		{change("assert/block", func(s *Setup) { s.Fault.Line = "// elsewhere" }), "the fault should be placed at a line with"},
		{change("assert/holds", func(s *Setup) { s.Fault = &Fault{Text: "x"} }), "but ended with <nil>"},
	} {
		err := r.Run(t.Context(), &c.c, Matrix["cpu"])
		if got := errText(err); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.c.Name, got, c.want)
		}
	}
}

// TestRankZero holds that views of no rank, which Tile IR does not have, are refused in words.
func TestRankZero(t *testing.T) {
	_, err := compile.Resolve(rankZero)
	if got := errText(err); !strings.Contains(got, "parameter x: a view needs a tile of rank 1 or more") {
		t.Errorf("%q", got)
	}
}
