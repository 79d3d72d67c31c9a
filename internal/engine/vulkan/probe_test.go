package vulkan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/vulkantest"
	"github.com/cutile-go/cutile/internal/threads/probe"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/internal/tools/store"
)

// probing gives the options of a device whose results are spoiled, n times, where they are those of a sum of f32.
func probing(in *vulkan.Instance, n int, what writer.Numeric) Options {
	return Options{Instance: in, Compiler: Threads, spoil: func(p any, data []byte) {
		if p, ok := p.(*probe.Probe); ok && n > 0 {
			n--
			data[p.Result(what)] ^= 1
		}
	}}
}

// sum is an operation that the devices of tests compute right.
var sum = writer.Numeric{Do: vec.FAdd, Type: vec.F32}

// able is the number of a device that runs kernels.
func able(t *testing.T, list []*vulkan.Physical, in *vulkan.Instance) int {
	t.Helper()
	infos, err := Devices(Options{Instance: in})
	if err != nil || len(infos) != len(list) {
		t.Fatalf("%v, %v", infos, err)
	}
	for _, i := range infos {
		if len(i.Lacks) == 0 {
			return i.Ordinal
		}
	}
	testenv.Missing(t, "vulkan", os.ErrNotExist)
	return 0
}

// TestProbe opens devices that compute right, wrong by instructions, and wrong always.
func TestProbe(t *testing.T) {
	in, list := vulkantest.Instance(t)
	index := able(t, list, in)
	for _, c := range []struct {
		wrong int
		what  writer.Numeric
		soft  bool
		err   string
	}{{0, sum, false, ""}, {1, sum, true, ""}, {2, sum, false, "computes wrong, also in integers: fadd f32 of [0x"},
		{2, probe.Loops, false, "computes wrong, also in integers: a loop of 70000 turns has ended after 70001"}} {
		d, err := Open(index, probing(in, c.wrong, c.what))
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Fatalf("wrong %d times: error %v", c.wrong, err)
		}
		if err != nil {
			continue
		}
		if slices.Contains(d.caps.Soft, sum) != c.soft || d.caps.Threads().Soft[sum] != c.soft {
			t.Errorf("wrong %d times: in integers are %v", c.wrong, d.caps.Soft)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if live := in.Library().Live(); len(live) != 1 {
		t.Errorf("left %v", live)
	}
}

// TestMatrices: kernels use the cooperative matrices that multiply right, and no others.
func TestMatrices(t *testing.T) {
	in, list := vulkantest.Instance(t)
	index := able(t, list, in)
	o := Options{Instance: in, Compiler: Threads}
	all := capsOf(&list[index].Info).Threads().Matrices
	if len(all) == 0 {
		testenv.Missing(t, "matrices", errors.New("the device has no cooperative matrices"))
	}
	for wrong := range len(all) + 1 { // the last one is none of them
		o.spoil = func(p any, data []byte) {
			if m, ok := p.(*probe.Matrices); ok && wrong < len(all) {
				data[m.Result(wrong)] ^= 0x80
			}
		}
		d, err := Open(index, o)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(all)
		if wrong < len(all) {
			want = slices.Delete(want, wrong, wrong+1)
		}
		if got := d.caps.Threads().Matrices; !slices.Equal(got, want) {
			t.Errorf("with a wrong result of %v there are %v", wrong, got)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestProbeStore: what a probe has found is kept for other processes, and what is damaged is found anew.
func TestProbeStore(t *testing.T) {
	in, list := vulkantest.Instance(t)
	index, dir, found := able(t, list, in), filepath.Join(t.TempDir(), "pipelines"), ""
	open := func() *store.Store {
		probed.Lock()
		clear(probed.found)
		probed.Unlock()
		s := store.New(dir, 1<<20)
		d, err := Open(index, Options{Instance: in, Compiler: Threads, Store: s})
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprint(d.caps.Soft); found != "" && found != want {
			t.Errorf("in integers are %v, then %v", found, want)
		} else {
			found = want
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		return s
	}
	first := open().Stats().Made
	if again := open().Stats(); again.Found < 1 || again.Made >= first {
		t.Errorf("made %d, then %+v", first, again)
	}
	for _, damage := range []string{"half a", "12", ""} {
		n := 0
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			n++
			return os.WriteFile(path, []byte(damage), 0o600)
		})
		if err != nil || n == 0 {
			t.Fatalf("%d files, %v", n, err)
		}
		open()
	}
}

// TestModes: modes are asked for where a device promises them, and for widths together where it wants that.
func TestModes(t *testing.T) {
	all, some, none := [3]bool{true, true, true}, [3]bool{true, true, false}, [3]bool{}
	for _, c := range []struct {
		name  string
		f     vulkan.FloatControls
		count int
	}{
		{"nothing", vulkan.FloatControls{}, 0},
		{"everything", vulkan.FloatControls{SignedZeroInfNaN: all, DenormPreserve: all, RoundEven: all, Denorms: vulkan.NoWidth, Rounding: vulkan.NoWidth}, 9},
		{"no f64", vulkan.FloatControls{SignedZeroInfNaN: some, DenormPreserve: some, RoundEven: some, Denorms: vulkan.Each, Rounding: vulkan.Each}, 6},
		{"f16 as f64", vulkan.FloatControls{SignedZeroInfNaN: some, DenormPreserve: some, RoundEven: some}, 4},
		{"all the same", vulkan.FloatControls{SignedZeroInfNaN: none, DenormPreserve: some, RoundEven: some, Denorms: vulkan.NoWidth, Rounding: vulkan.Each}, 2},
	} {
		if got := modes(&c.f); len(got) != c.count {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
