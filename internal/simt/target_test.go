package simt_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// TestArchFor: the architecture that code is made for, on GPUs of the table and on others.
func TestArchFor(t *testing.T) {
	for _, c := range []struct{ gpu, want string }{
		{"sm_90", "sm_90a"}, {"sm_80", "sm_80"}, {"sm_100", "sm_100a"}, {"gfx90", "gfx90"}, {"sm_999", newest(999)}, {"sm_81", newest(81)},
		{"sm_85", newest(85)}, {"sm_79", newest(79)}, {"sm_75", "sm_75"}, {"sm_70", "sm_70"},
	} {
		if got := simt.ArchFor(c.gpu); got != c.want {
			t.Errorf("%s: %s, want %s", c.gpu, got, c.want)
		}
	}
}

// newest is the newest target below a generation that runs on what comes after it.
func newest(sm int) string {
	best, name := 0, ""
	for _, a := range simt.Targets() {
		if a.SM < sm && a.SM > best && a.Name[len(a.Name)-1] != 'a' {
			best, name = a.SM, a.Name
		}
	}
	return name
}

// TestPTXOfDriver has the versions of the PTX ISA's release history, drivers between them and drivers outside of it.
func TestPTXOfDriver(t *testing.T) {
	for _, c := range []struct{ cuda, ptx int }{
		{9020, 0}, {0, 0}, {-1, 0}, {10000, 63}, {10020, 65}, {11000, 70}, {11040, 74}, {11080, 78}, {12000, 80}, {12040, 84}, {12050, 85}, {12060, 85},
		{12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13040, 94}, {13090, 94}, {14000, 94},
	} {
		if got := simt.PTXOfDriver(c.cuda); got != c.ptx {
			t.Errorf("CUDA %d: PTX %d, want %d", c.cuda, got, c.ptx)
		}
	}
}

// TestForPTX asks for versions that targets have, and for those that they lack.
func TestForPTX(t *testing.T) {
	for _, c := range []struct {
		target string
		ptx    int
		want   string // of the error
	}{
		{"sm_75", 63, ""}, {"sm_75", 62, "6.2 is not a version of PTX for sm_75: expected 6.3 to 9.4"}, {"sm_80", 74, ""}, {"sm_80", 94, ""},
		{"sm_80", 95, "9.5 is not a version of PTX for sm_80: expected 7.0 to 9.4"}, {"sm_90a", 78, "7.8 is not a version of PTX for sm_90a: expected 8.0 to 9.4"},
		{"sm_121a", 0, "0.0 is not"},
	} {
		arch, err := simt.TargetOf(c.target)
		if err != nil {
			t.Fatal(err)
		}
		switch got, err := arch.ForPTX(c.ptx); {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %d: error %v, want %s", c.target, c.ptx, err, c.want)
			}
		case err != nil || got.PTX != c.ptx || got.Name != c.target || got.Shared != arch.Shared:
			t.Errorf("%s, %d: %+v, error %v", c.target, c.ptx, got, err)
		}
	}
}

// TestOlderPTX: what a target has is refused in versions of PTX that lack it.
func TestOlderPTX(t *testing.T) {
	module := func(op string, params int) *simt.Module {
		f := &simt.Func{Name: "k", Block: [3]int{32, 1, 1}, Params: []simt.Param{{Name: "p", Type: "b8", Bytes: params, Align: 8}}}
		b := &simt.Builder{Func: f}
		b.Emit(op, nil)
		b.Emit("ret", nil)
		return &simt.Module{Kernels: []*simt.Func{f}}
	}
	for _, c := range []struct {
		target string
		ptx    int
		m      *simt.Module
		want   string
	}{
		{"sm_90", 80, module("fence.mbarrier_init.release.cluster", 8), ""},
		{"sm_90", 78, module("fence.mbarrier_init.release.cluster", 8), "expected sm_90 or later with PTX 8.0: the target is sm_90 with PTX 7.8"},
		{"sm_80", 74, module("fence.proxy.alias", 8), "expected sm_70 or later with PTX 7.5: the target is sm_80 with PTX 7.4"},
		{"sm_75", 75, module("fence.proxy.alias", 8), ""},
		{"sm_75", 74, module("ret", 4352), ""},
		{"sm_75", 81, module("ret", 4360), ""},
		{"sm_75", 80, module("ret", 4360), "the parameters have 4360 bytes: expected at most 4352 before PTX 8.1"},
	} {
		arch, err := simt.TargetOf(c.target)
		if err == nil {
			arch, err = arch.ForPTX(c.ptx)
		}
		if err == nil {
			err = simt.VerifyArch(c.m, arch)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, PTX %d: error %v, want %q", c.target, c.ptx, err, c.want)
		}
	}
}
