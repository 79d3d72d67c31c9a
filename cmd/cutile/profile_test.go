package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/npy"
)

const transposeArgs = " -grid 2,2 -arg float32:64x64:iota -arg float32:64x64 -arg 64"

// TestProfile compares the report of a kernel with those of other targets; what is counted the packages below internal/simt test.
func TestProfile(t *testing.T) {
	for target, file := range map[string]string{"sm_75": "profile-sm75.txt", "sm_90a": "profile-sm90.txt"} {
		line := "profile -emulate -target " + target + " " + data + "transpose.ptx" + transposeArgs
		golden(t, file, must(t, strings.Fields(line)...))
	}
}

// TestProfileJSON: programs read the same numbers.
func TestProfileJSON(t *testing.T) {
	var r struct {
		Kernel string
		Blocks int
		Lines  []struct {
			Name  string
			Count struct {
				Shared struct{ Requests, Wavefronts int }
			}
		}
	}
	if err := json.Unmarshal([]byte(must(t, strings.Fields("profile -emulate -json "+data+"transpose.ptx"+transposeArgs)...)), &r); err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Lines {
		if s := l.Count.Shared; l.Name == "transpose.cu:12" && s.Requests == 128 && s.Wavefronts == 32*128 && r.Kernel == "transpose" && r.Blocks == 4 {
			return
		}
	}
	t.Errorf("%+v", r)
}

// TestProfileResults: the kernel ran, and its array is written.
func TestProfileResults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.npy")
	out := must(t, "profile", "-emulate", data+"transpose.ptx", "-grid", "2,2", "-arg", "float32:64x64:iota", "-arg", file+"=float32:64x64", "-arg", "64", "-print")
	if !strings.Contains(out, "\n  [1] 1 65 129 ... 3905 3969 4033\n") {
		t.Errorf("printed\n%s", out)
	}
	if a := load(t, file); a.Type != npy.Float32 || a.Bits(64) != uint64(math.Float32bits(1)) {
		t.Errorf("%v: element 64 is %#x", a.Type, a.Bits(64))
	}
}

// TestProfileTile profiles the kernel of a Go file: its lines, its product and its results are there, and mistakes have the types of Tile IR.
func TestProfileTile(t *testing.T) {
	folder := t.TempDir()
	must(t, "dump", "-stage", "bytecode", "-o", folder, "./examples/gemm", "gemm[D64, D32, D32]")
	args := func(c string) []string {
		line := "profile -emulate -target sm_80 -print -grid 2,2 -array float16:64x64:1 -array float16:64x64:0.5 -array " + c
		return append(strings.Fields(line), filepath.Join(folder, "main.gemm_D64_D32_D32.tileirbc"))
	}
	out := must(t, args(filepath.Join(folder, "c.npy")+"=float16:64x64")...)
	for _, want := range []string{"mma m16n8k16 f32 f16 f16 f32", "524,288", "main.go:27", "model of sm_80", "  [63] 32 32 32 ... 32 32 32\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	// The code is what a launch of such arguments takes: with tensor maps, and copies that a warp of its own begins, or without.
	for target, words := range map[string][]string{
		"sm_90a":  {"wgmma m64n32k16 f32 f16 f16", "block (160, 1, 1)", "100%", "[63] 32 32 32 ... 32 32 32\n"},
		"sm_100a": {"tcgen05 cta_group::1 kind::f16", "524,288", "block (160, 1, 1)", "[63] 32 32 32 ... 32 32 32\n"},
	} {
		out := must(t, append(args("float16:64x64"), "-target", target)...)
		for _, want := range words {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is missing in\n%s", target, want, out)
			}
		}
	}
	checkRefusals(t, []refusal{
		{"", strings.Join(args("float32:64x64"), " "), exitUsage, "the kernel takes a pointer to f16 there, which is an array of float16, not of float32"},
		{"", strings.Join(args("float16:64x64 -block 64"), " "), exitUsage, "-block: the compiler chooses how many threads"},
		{"no kernel", "profile -emulate -", exitFailed, "it is no PTX, which begins with .version, and no Tile IR"},
	})
}

// TestProfileFloat: numbers for a kernel of Tile IR have its types, which PTX takes for integers.
func TestProfileFloat(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.tileir")
	text := "entry @k(%p: tile<ptr<f32>>, %x: tile<f32>, %h: tile<f16>) {\n  %y = ftof %h : tile<f16> -> tile<f32>\n  %z = addf %x, %y : tile<f32>\n" +
		"  %t = make_token : token\n  %1 = store_ptr_tko weak %p, %z token = %t : tile<ptr<f32>>, tile<f32> -> token\n  return\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := must(t, "profile", "-emulate", "-print", "-target", "sm_80", "-arg", "float32:1", "-arg", "1e-5", "-arg", "2.5", file)
	if !strings.Contains(out, "2.50001") {
		t.Errorf("printed\n%s", out)
	}
}

// TestProfileArguments: arrays with extents and strides, and by value.
func TestProfileArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(file, []byte(`.version 7.0
.target sm_86
.address_size 64
.visible .entry k(.param .u64 x, .param .s32 n, .param .s64 m, .param .s32 sn, .param .u32 sm, .param .align 4 .b8 by[8], .param .f32 f) {
	.reg .b32 %r<7>; .reg .b64 %a, %m;
	ld.param.u64 %a, [x]; ld.param.s32 %r0, [n]; ld.param.s64 %m, [m]; cvt.u32.u64 %r1, %m; ld.param.s32 %r2, [sn]; ld.param.u32 %r3, [sm];
	ld.param.b32 %r4, [by+4]; ld.param.b32 %r5, [f];
	st.global.v4.b32 [%a], {%r0, %r1, %r2, %r3}; st.global.v2.b32 [%a+16], {%r4, %r5};
	ret;
}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	out := must(t, "profile", "-emulate", file, "-block", "1", "-print", "-array", "int32:3x5", "-arg", "int32:2:iota", "-arg", "1.5")
	if !strings.Contains(out, "[0] 3 5 5 1 1\n") || !strings.Contains(out, "[1] 1069547520 0 0 0 0\n") || !strings.Contains(out, "sm_86, A10") {
		t.Errorf("printed\n%s", out)
	}
	out = must(t, "profile", "-emulate", file, "-block", "1", "-print", "-array", "int32:3x5@7,1", "-arg", "int32:2:iota", "-arg", "1.5")
	if !strings.Contains(out, "[0] 3 5 7 1 1\n") || !strings.Contains(out, "[1] 0 0 0 0 0\n") {
		t.Errorf("printed\n%s", out)
	}
}

// TestProfileShared: the report has the dynamic shared memory of the launch, of which the PTX says nothing.
func TestProfileShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(file, []byte(`.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 more[];
.visible .entry k() {
	.reg .b32 %m; mov.u32 %m, more;
	st.shared.u32 [%m+4092], 1;
	ret;
}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"profile", "-emulate", "-block", "1", "-shared", "4096", file}
	if out := must(t, args...); !strings.Contains(out, ", 4,096 bytes of shared memory\n") {
		t.Errorf("the report is\n%s", out)
	}
	if out := must(t, append(args, "-json")...); !strings.Contains(out, "\"shared\": 4096,") {
		t.Errorf("the report is\n%s", out)
	}
}

// TestProfileSchedule: a warp that waits for a phase of an mbarrier in every turn is overtaken only where another one holds it back.
func TestProfileSchedule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(file, []byte(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
	.reg .b32 %t, %s, %n, %q; .reg .pred %p, %w; .shared .align 8 .b8 bar[8];
	mov.u32 %t, %tid.x; mov.u32 %s, bar; setp.eq.u32 %p, %t, 0; mov.u32 %n, 0;
	@%p mbarrier.init.shared.b64 [%s], 1;
	bar.sync 0;
TURN:
	@%p cp.async.mbarrier.arrive.noinc.shared.b64 [%s];
	and.b32 %q, %n, 1;
LOOK:
	mbarrier.try_wait.parity.shared.b64 %w, [%s], %q;
	@!%w bra LOOK;
	add.u32 %n, %n, 1;
	setp.lt.u32 %w, %n, 2;
	@%w bra TURN;
	ret;
}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	found := 0
	for seed := range 8 {
		code, out, errs := cutile("profile", "-emulate", "-block", "64", "-schedule", strconv.Itoa(seed+1), file)
		switch {
		case code == exitFailed && strings.Contains(errs, "deadlock: no thread can go on"):
			found++
		case code != 0:
			t.Errorf("seed %d: %s%s", seed, out, errs)
		}
	}
	if code, out, errs := cutile("profile", "-emulate", "-block", "64", file); code != 0 || found == 0 {
		t.Errorf("%d of 8 seeds show it; without, %s%s", found, out, errs)
	}
}

func TestProfileErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(".version 7.0\n.target sm_80\n.address_size 64\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file + " "
	}
	transpose := data + "transpose.ptx "
	none, two := write("none.ptx", ""), write("two.ptx", ".entry a() { ret; }\n.entry b() { ret; }\n")
	local := write("local.ptx", ".entry k() { .local .b8 l[1000000000]; ret; }\n")
	registers := write("registers.ptx", ".entry k() { .reg .b32 %r<4000000>; ret; }\n")
	shared := write("shared.ptx", ".entry k() { .shared .b8 s[1000000000]; .reg .b32 %r; mov.u32 %r, s; ret; }\n")
	race := write("race.ptx", `.entry k(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; st.global.b32 [%p], %t; ret; }`)
	checkRefusals(t, []refusal{
		{"", "profile -emulate", exitUsage, "cutile profile: want one file, got 0; see `cutile help profile`"},
		{"", "profile " + transpose, exitUsage, "is no program: to run a kernel on the emulator, give -emulate in front of it"},
		{"", "profile -emulate none", exitFailed, "open none: no such file"},
		{"", "profile -emulate " + data + "vadd.tileirbc", exitUsage, "but the arguments are for 0"},
		{"", "profile -emulate " + none, exitFailed, "none.ptx has no kernel (.entry)"},
		{"", "profile -emulate " + two, exitUsage, "has 2 kernels: choose one of a, b with -entry"},
		{"", "profile -emulate -entry c " + two, exitUsage, `has no kernel "c"; it has a, b`},
		{"", "profile -emulate -entry a " + two, exitUsage, "kernel a does not say how many threads a block has (.reqntid): give -block"},
		{"", "profile -emulate -block 0 " + two, exitUsage, "want one to three numbers of threads"},
		{"", "profile -emulate -block 64 " + transpose, exitUsage, "requires blocks of [32 8 1] threads, not [64 1 1]"},
		{"", "profile -emulate " + transpose, exitUsage, "has 3 parameters (.u64, .u64, .u32), but the arguments are for 0"},
		{"", "profile -emulate " + transpose + "-arg 1 -arg 2 -arg x", exitUsage, "-arg x: want an integer for i32"},
		{"", "profile -emulate " + transpose + "-arg 1 -arg 2 -arg 3 -arg 4", exitUsage, "-arg 4 is more than the 3 parameters of kernel transpose take"},
		{"", "profile -emulate " + transpose + "-arg x", exitUsage, "-arg x: want an array for a pointer"},
		{"", "profile -emulate " + transpose + "-array float32:4x4", exitUsage, "takes 5 parameters, but kernel transpose has only 3 from its pointer on"},
		{"", "profile -emulate " + transpose + "-arg float32:100000x100000", exitUsage, "the array has 40000000000 bytes"},
		{"", "profile -emulate -target sm_70 " + transpose + transposeArgs, exitUsage, `-target: no rates are known for "sm_70"`},
		{"", "profile -emulate -shared -1 " + transpose, exitUsage, "-shared: -1 bytes"},
		{"", "profile -emulate -grid 2000000000,2000000000,2000000000 " + transpose, exitUsage, "are more blocks than the emulator takes"},
		{"", "profile -emulate -block 1 " + local, exitFailed, "has 1000000000 bytes of local memory for a thread"},
		{"", "profile -emulate -block 1 " + registers, exitFailed, "4000000 registers"},
		{"", "profile -emulate -block 1 " + shared, exitFailed, "1000000000 bytes of shared memory"},
		{"", "profile -emulate -block 64 -races " + race + "-arg int32:1", exitFailed, "data race"},
	})
}
