package profile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/profile"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// report runs a kernel with one parameter, the address of 1 MiB.
func report(t *testing.T, target, regs, body string, grid int) *profile.Report {
	t.Helper()
	text := fmt.Sprintf(".version 8.6\n.target sm_100a\n.address_size 64\n.file 1 \"k.go\"\n.visible .entry k(.param .u64 p)\n.reqntid 128, 1, 1\n{\n"+
		".reg .pred %%p; .reg .b32 %%t, %%i, %%r<20>; .reg .b64 %%a, %%d<4>; %s\n.shared .align 128 .b8 s[8192];\n.loc 1 1 1\n"+
		"ld.param.u64 %%a, [p];\nmov.u32 %%t, %%tid.x;\n%s\nret;\n}\n", regs, body)
	m, err := ptx.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := emu.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	mem := &emu.Memory{}
	mem.Map(1<<32, make([]byte, 1<<20), "p", false)
	a := new(emu.Account)
	l := emu.Launch{Kernel: "k", Grid: [3]int{grid, 1, 1}, Shared: m.Kernels[0].Shared, Args: []uint64{1 << 32}, Memory: mem, Account: a}
	if err := p.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	x, err := profile.TargetOf(target)
	if err != nil {
		t.Fatal(err)
	}
	r, err := profile.New(a, x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPipes computes cycles by hand: 4 warps of 10 turns with 3 fused multiplications and additions, 2 integer instructions and 1
// approximate function.
func TestPipes(t *testing.T) {
	const body = `mov.u32 %i, 0;
L:
.loc 1 5 1
fma.rn.f32 %r1, %r2, %r3, %r1;
fma.rn.f32 %r1, %r2, %r3, %r1;
fma.rn.f32 %r1, %r2, %r3, %r1;
ex2.approx.ftz.f32 %r4, %r2;
.loc 1 4 1
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 10;
@%p bra L;`
	for target, want := range map[string]map[string]float64{
		"sm_80":  {"fma": 4 * 3 * 32 / 64.0, "alu": 4 * 2 * 32 / 64.0, "xu": 4 * 32 / 16.0, "issue": 4 * 7 / 4.0},
		"sm_120": {"fma": 4 * 3 * 32 / 128.0, "alu": 4 * (32/128.0 + 32/64.0), "xu": 4 * 32 / 16.0, "issue": 4 * 7 / 4.0},
	} {
		r := report(t, target, "", "mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r1, 0;\n"+body, 3)
		if len(r.Loops) != 1 || r.Loops[0].Turns != 10 || r.Loops[0].Warps != 4 || r.Loops[0].Place != "k.go:4" {
			t.Fatalf("loops: %+v", r.Loops)
		}
		for name, cycles := range want {
			if got := r.Loops[0].Cycles(name); math.Abs(got-cycles) > 1e-9 {
				t.Errorf("%s, %s: %v cycles of a turn, want %v", target, name, got, cycles)
			}
			if got := r.Total.Cycles(name); name != "issue" && math.Abs(got-3*10*cycles) > 1e-9 {
				t.Errorf("%s, %s: %v cycles in all, want %v", target, name, got, 3*10*cycles)
			}
		}
		if r.Loops[0].Pipes[0].Name != "xu" || r.Total.Pipes[0].Name != "xu" {
			t.Errorf("%s: the bound is %v", target, r.Loops[0].Pipes[0])
		}
	}
}

// TestWhileTurns: a loop whose condition comes first asks once more than it has turns; one inside of it begins anew.
func TestWhileTurns(t *testing.T) {
	r := report(t, "sm_80", "", `mov.u32 %i, 0;
OUTER:
setp.ge.u32 %p, %i, 6;
@%p bra DONE;
mov.u32 %r1, 0;
INNER:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p, %r1, 5;
@%p bra INNER;
add.u32 %i, %i, 1;
bra OUTER;
DONE:`, 2)
	if len(r.Loops) != 2 || r.Loops[0].Turns != 6 || r.Loops[1].Turns != 5 {
		t.Errorf("%+v", r.Loops)
	}
	if got, want := r.Loops[1].Cycles("issue"), 4*3/4.0; got != want {
		t.Errorf("the inner loop: %v cycles of issue, want %v", got, want)
	}
}

// TestTensorShare: with both operands in shared memory, wgmma is bound by their reading where n is below 64, and by the tensor cores
// above, as is known of H100. B200 has no wgmma; of mma.sync there is no rate published.
func TestTensorShare(t *testing.T) {
	for _, n := range []int{8, 16, 32, 64, 128, 256} {
		var d []string
		for i := range n / 2 {
			d = append(d, fmt.Sprintf("%%d_%d", i))
		}
		regs := ".reg .b32 " + strings.Join(d, ", ") + ";"
		r := report(t, "sm_90a", regs, fmt.Sprintf(`mov.u64 %%d1, 0x4000004000010000;
st.shared.b32 [s], %%t;
mov.u32 %%i, 0;
FILL:
mad.lo.u32 %%r1, %%i, 2048, 0;
shl.b32 %%r2, %%t, 4;
add.u32 %%r1, %%r1, %%r2;
mov.u32 %%r3, s;
add.u32 %%r1, %%r1, %%r3;
st.shared.v4.b32 [%%r1], {%%i, %%i, %%i, %%i};
add.u32 %%i, %%i, 1;
setp.lt.u32 %%p, %%i, 4;
@%%p bra FILL;
fence.proxy.async;
bar.sync 0;
mov.u64 %%d1, 0x0000000000000000;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n%dk16.f32.f16.f16 {%s}, %%d1, %%d1, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;`, n, strings.Join(d, ", ")), 1)
		var unit *profile.Entry
		for i := range r.Units {
			if strings.HasPrefix(r.Units[i].Name, "tensor") {
				unit = &r.Units[i]
			}
		}
		if unit == nil || unit.Name != fmt.Sprintf("tensor wgmma m64n%dk16 f32 f16 f16", n) {
			t.Fatalf("%+v", r.Units)
		}
		tensor, l1 := unit.Cycles("tensor"), unit.Cycles("l1")
		if tensor != float64(64*n*16)/2048 || l1 != float64(2*16*(64+n))/128 {
			t.Errorf("n = %d: %v cycles of tensor cores, %v of shared memory", n, tensor, l1)
		}
		if bound := unit.Pipes[0].Name; (bound == "l1") != (n < 64) && n != 64 {
			t.Errorf("n = %d is bound by %s", n, bound)
		}
	}
	const mma = "mov.u32 %r1, 0; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%r1,%r1,%r1,%r1};"
	if r := report(t, "sm_100a", "", mma, 1); len(r.Unpublished) != 1 || r.Unpublished[0] != "mma.f16" {
		t.Errorf("%v", r.Unpublished)
	}
	if r := report(t, "sm_80", "", mma, 1); r.Unpublished != nil || r.Total.Cycles("tensor") != 4*16*8*16/1024.0 {
		t.Errorf("%+v", r)
	}
}

// TestMemoryBound: a copy by all multiprocessors takes the time that memory needs, one by a single one what the way to L2 needs.
func TestMemoryBound(t *testing.T) {
	const body = `mov.u32 %r5, %ctaid.x; mad.wide.u32 %a, %r5, 4096, %a; mad.wide.u32 %a, %t, 16, %a;
ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%a]; st.global.v4.b32 [%a+2048], {%r1, %r2, %r3, %r4};`
	r := report(t, "sm_80", "", body, 108)
	if want := 108 * 4096.0 / 1555e3; !r.MemoryBound || r.Read != 108*2048 || r.Written != 108*2048 || math.Abs(r.Microseconds-want) > 1e-9 {
		t.Errorf("%v µs, want %v; %d read, %d written", r.Microseconds, want, r.Read, r.Written)
	}
	r = report(t, "sm_80", "", body, 1)
	if want := 4096 / 47.4 / 1410; r.MemoryBound || r.Total.Pipes[0].Name != "l2" || math.Abs(r.Microseconds-want) > 1e-9 {
		t.Errorf("%v µs, want %v", r.Microseconds, want)
	}
}

// TestJSON: programs read the same numbers.
func TestJSON(t *testing.T) {
	r := report(t, "sm_90", "", "bar.sync 0;", 2)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back profile.Report
	if err := json.Unmarshal(data, &back); err != nil || back.Kernel != "k" || back.Blocks != 2 || back.Total.Count.Executed != r.Total.Count.Executed {
		t.Errorf("%s: %v", data, err)
	}
	var b bytes.Buffer
	if err := r.Print(&b); err != nil || !strings.Contains(b.String(), "kernel k, grid (2, 1, 1)") {
		t.Errorf("%s, %v", b.String(), err)
	}
}
