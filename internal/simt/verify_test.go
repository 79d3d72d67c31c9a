package simt_test

import (
	"errors"
	"go/token"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/internal/simt"
)

// wrong is a kernel with registers %p0, %rs0, %r0, %r1 and %rd0 that are written, and r2 to rd1 that are not.
type wrong struct {
	*Builder
	m                *Module
	p, h, r, s, d    Operand
	p1, h1, r2, d1   Operand
	label, elsewhere int
}

func (w *wrong) emit(op string, dst []Operand, src ...Operand) { w.Emit(op, dst, src...) }

func newWrong() *wrong {
	f := &Func{Name: "k", Block: [3]int{32, 1, 1}, Local: 16, Params: []Param{{Name: "n", Type: "s32"}, {Name: "m", Type: "b8", Bytes: 64, Align: 64}}}
	w := &wrong{Builder: &Builder{Func: f}, m: &Module{Kernels: []*Func{f}}}
	w.p, w.h = w.Value(Pred, "mov.pred", I(1)), w.Value(B16, "mov.b16", I(1))
	w.r, w.s = w.Value(B32, "mov.b32", I(1)), w.Value(B32, "mov.b32", I(1))
	w.d = w.Value(B64, "mov.b64", I(1))
	w.p1, w.h1, w.r2, w.d1 = R(w.NewReg(Pred)), R(w.NewReg(B16)), R(w.NewReg(B32)), R(w.NewReg(B64))
	w.label, w.elsewhere = w.NewLabel(), w.NewLabel()
	w.Pos = token.Position{Filename: "k.go", Line: 3, Column: 5}
	return w
}

func dst(ops ...Operand) []Operand { return ops }

// TestVerifyInstr has an instruction that breaks each rule.
func TestVerifyInstr(t *testing.T) {
	for _, c := range []struct {
		name   string
		target string
		build  func(*wrong)
		want   string // after position, function and index
	}{
		{"unknown", "", func(w *wrong) { w.emit("add.s33", dst(w.r2), w.r, w.s) },
			`add.s33 %r2, %r0, %r1: there is no instruction "add.s33"`},
		{"class", "", func(w *wrong) { w.emit("add.s32", dst(w.r2), w.r, w.d) },
			`add.s32 %r2, %r0, %rd0: operand 2: expected a b32 register for s32; found %rd0, a b64`},
		{"result class", "", func(w *wrong) { w.emit("setp.lt.f32", dst(w.r2), w.r, w.s) },
			`setp.lt.f32 %r2, %r0, %r1: result 1: expected a pred register for pred; found %r2, a b32`},
		{"count", "", func(w *wrong) { w.emit("mad.lo.s32", dst(w.r2), w.r, w.s) },
			`mad.lo.s32 %r2, %r0, %r1: expected b32 <- b32 or number, b32 or number, b32 or number; found a register <- a register, a register`},
		{"kind", "", func(w *wrong) { w.emit("add.rn.f16", dst(w.h1), w.h, I(0)) },
			`add.rn.f16 %rs1, %rs0, 0: expected b16 <- b16, b16; found a register <- a register, a number`},
		{"vector", "", func(w *wrong) { w.emit("ld.global.v4.b32", dst(V(w.r2, w.r2)), At(w.d.Reg, 0)) },
			`ld.global.v4.b32 {%r2, %r2}, [%rd0]: expected {4 x b32} <- [global]; found a vector of 2 <- an address`},
		{"no vector", "", func(w *wrong) { w.emit("ld.global.v4.b32", dst(w.r2), At(w.d.Reg, 0)) },
			`ld.global.v4.b32 %r2, [%rd0]: expected {4 x b32} <- [global]; found a register <- an address`},
		{"vector element", "", func(w *wrong) { w.emit("st.global.v2.b32", nil, At(w.d.Reg, 0), V(w.r, w.d)) },
			`st.global.v2.b32 [%rd0], {%r0, %rd0}: operand 2: element 1: expected a b32 register for b32; found %rd0, a b64`},
		{"vector number", "", func(w *wrong) { w.emit("mov.b64", dst(w.d1), V(w.r, I(1))) },
			`mov.b64 %rd1, {%r0, 1}: operand 1: element 1: expected a b32 register`},
		{"vector number too large", "", func(w *wrong) { w.emit("st.global.v2.b16", nil, At(w.d.Reg, 0), V(w.h, I(65536))) },
			`st.global.v2.b16 [%rd0], {%rs0, 0}: operand 2: element 1: 65536 does not fit b16`},
		{"number too large", "", func(w *wrong) { w.emit("add.s32", dst(w.r2), w.r, I(1<<32)) },
			`add.s32 %r2, %r0, 0: operand 2: 4294967296 does not fit s32`},
		{"number too small", "", func(w *wrong) { w.emit("add.s16", dst(w.h1), w.h, I(-1<<15-1)) },
			`add.s16 %rs1, %rs0, 32767: operand 2: -32769 does not fit s16`},
		{"number out of range", "", func(w *wrong) { w.emit("lop3.b32", dst(w.r2), w.r, w.r, w.r, I(256)) },
			`lop3.b32 %r2, %r0, %r0, %r0, 256: operand 4: expected 0 to 255; found 256`},
		{"number of a list", "", func(w *wrong) { w.emit("cp.async.ca.shared.global", nil, At(w.r.Reg, 0), At(w.d.Reg, 0), I(12)) },
			`cp.async.ca.shared.global [%r0], [%rd0], 12: operand 3: expected 4 or 8 or 16; found 12`},
		{"number with steps", "", func(w *wrong) { w.emit("bar.sync", nil, I(0), I(33)) },
			`bar.sync 0, 33: operand 2: expected 32 to 1024 in steps of 32; found 33`},
		{"negated", "", func(w *wrong) {
			p := w.p
			p.Not = true
			w.emit("selp.b32", dst(w.r2), w.r, w.s, p)
		}, `selp.b32 %r2, %r0, %r1, !%p0: operand 3: %p0 is negated, which selp.b32 does not allow here`},
		{"special", "", func(w *wrong) { w.emit("mov.u32", dst(w.r2), S("%tid.w")) },
			`mov.u32 %r2, %tid.w: operand 1: there is no special register "%tid.w"`},
		{"special width", "", func(w *wrong) { w.emit("mov.u32", dst(w.r2), S("%clock64")) },
			`mov.u32 %r2, %clock64: operand 1: %clock64 has 64 bits, mov.u32 takes 32`},
		{"special target", "sm_80", func(w *wrong) { w.emit("mov.u32", dst(w.r2), S("%cluster_ctarank")) },
			`mov.u32 %r2, %cluster_ctarank: operand 1: %cluster_ctarank needs sm_90 or later with PTX 7.8: the target is sm_80`},
		{"address base", "", func(w *wrong) { w.emit("ld.global.b32", dst(w.r2), At(w.r.Reg, 0)) },
			`ld.global.b32 %r2, [%r0]: operand 1: expected a b64 register as the base of an address; found %r0, a b32`},
		{"shared base", "", func(w *wrong) { w.emit("ld.shared.b32", dst(w.r2), At(w.h.Reg, 0)) },
			`ld.shared.b32 %r2, [%rs0]: operand 1: expected a b64 register as the base of an address in shared memory, or a b32 one; found %rs0, a b16`},
		{"address name", "", func(w *wrong) { w.emit("ld.global.b32", dst(w.r2), AtName("smem", 0)) },
			`ld.global.b32 %r2, [smem]: operand 1: "smem" is not memory of the space "global"`},
		{"address offset", "", func(w *wrong) { w.emit("ld.global.b32", dst(w.r2), At(w.d.Reg, 1<<31)) },
			`ld.global.b32 %r2, [%rd0+2147483648]: operand 1: the offset 2147483648 does not fit 32 bits`},
		{"tensor map offset", "sm_90", func(w *wrong) {
			w.emit("cp.async.bulk.prefetch.tensor.1d.L2.global", nil, At(w.d.Reg, 8), V(w.r))
		}, `cp.async.bulk.prefetch.tensor.1d.L2.global [%rd0+8, {%r0}]: operand 1: the offset is 8: expected none here`},
		{"parameter register", "", func(w *wrong) { w.emit("ld.param.s32", dst(w.r2), At(w.d.Reg, 0)) },
			`ld.param.s32 %r2, [%rd0]: operand 1: expected a parameter's name`},
		{"parameter width", "", func(w *wrong) { w.emit("ld.param.u64", dst(w.d1), AtName("n", 0)) },
			`ld.param.u64 %rd1, [n]: operand 1: 8 bytes at n+0: expected an offset that is a multiple of their number, inside of 4 bytes`},
		{"parameter alignment", "", func(w *wrong) { w.emit("ld.param.b32", dst(w.r2), AtName("m", 2)) },
			`ld.param.b32 %r2, [m+2]: operand 1: 4 bytes at m+2: expected an offset that is a multiple of their number, inside of 64 bytes`},
		{"symbol", "", func(w *wrong) { w.emit("mov.b64", dst(w.d1), Sym("x")) },
			`mov.b64 %rd1, x: operand 1: "x" is not memory: expected smem, local (where the function has some), a variable or a parameter`},
		{"width of a parameter", "", func(w *wrong) { w.emit("mov.b32", dst(w.r2), Sym("n")) },
			`mov.b32 %r2, n: operand 1: the address of n has 64 bits, mov.b32 takes 32`},
		{"symbol width", "", func(w *wrong) { w.emit("mov.b32", dst(w.r2), Sym("local")) },
			`mov.b32 %r2, local: operand 1: the address of local has 64 bits, mov.b32 takes 32`},
		{"target", "sm_80", func(w *wrong) { w.emit("barrier.cluster.wait", nil) },
			`barrier.cluster.wait: expected sm_90 or later with PTX 7.8: the target is sm_80 with PTX 8.4`},
		{"exact target", "sm_90", func(w *wrong) { w.emit("wgmma.fence.sync.aligned", nil) },
			`wgmma.fence.sync.aligned: expected sm_90a with PTX 8.0: the target is sm_90 with PTX 8.4`},
		{"version", "sm_90a", func(w *wrong) {
			w.emit("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes", nil, At(w.r.Reg, 0), At(w.d.Reg, 0), w.r, At(w.r.Reg, 0))
		}, `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r0], [%rd0], %r0, [%r0]: ` +
			`expected sm_90 or later with PTX 8.6: the target is sm_90a with PTX 8.4`},
		{"register", "", func(w *wrong) { w.emit("add.s32", dst(w.r2), w.r, R(99)) },
			`add.s32 %r2, %r0, %?99: there is no register 99: the function has 9`},
		{"count", "", func(w *wrong) { w.Emit("mov.b32", dst(w.r2), w.r).Count = 1 },
			`mov.b32 %r2, %r0: source 1 is marked as a shift count: expected one of shl, shr or min.u64`},
		{"count of no source", "", func(w *wrong) { w.Emit("shl.b32", dst(w.r2), w.r, w.r).Count = 3 },
			`shl.b32 %r2, %r0, %r0: source 3 is marked as a shift count: expected one of shl, shr or min.u64`},
		{"guard", "", func(w *wrong) { w.Emit("trap", nil).Guard = w.r.Reg },
			`@%r0 trap: the guard %r0 is a b32: expected a pred`},
		{"label", "", func(w *wrong) { w.Branch(w.elsewhere) },
			`bra $L1: $L1 is not placed`},
		{"label twice", "", func(w *wrong) { w.Place(w.label); w.Place(w.label) },
			`$L0: $L0 is placed a second time`},
		{"no such label", "", func(w *wrong) { w.Place(7) },
			`$L7: expected one label from 0 to 1 and no guard`},
		{"unwritten", "", func(w *wrong) { w.emit("add.s32", dst(w.r), w.r2, w.r) },
			`add.s32 %r0, %r2, %r0: %r2 is read, but some path to here does not write it; a write under a guard does not count`},
		{"guarded write", "", func(w *wrong) {
			w.Emit("mov.b32", dst(w.r2), w.r).Guard = w.p.Reg
			w.Pos.Line++
			w.emit("add.s32", dst(w.r), w.r2, w.r)
		}, `add.s32 %r0, %r2, %r0: %r2 is read, but some path to here does not write it; a write under a guard does not count`},
		{"one path", "", func(w *wrong) {
			w.BranchIf(w.p.Reg, true, w.label)
			w.emit("mov.b32", dst(w.r2), w.r)
			w.Place(w.label)
			w.emit("st.global.b32", nil, At(w.d.Reg, 0), w.r2)
		}, `st.global.b32 [%rd0], %r2: %r2 is read, but some path to here does not write it; a write under a guard does not count`},
		{"unwritten guard", "", func(w *wrong) { w.Emit("trap", nil).Guard = w.p1.Reg },
			`@%p1 trap: %p1 is read, but some path to here does not write it; a write under a guard does not count`},
		{"ret with a value", "", func(w *wrong) { w.emit("ret", nil, w.r) },
			`ret %r0: expected 0 values to return; found 1`},
		{"launch in a kernel", "", func(w *wrong) { w.emit(OpLaunch, nil) },
			`launch: a kernel cannot launch: a host function can`},
		{"printf count", "", func(w *wrong) { w.Emit(OpPrintf, nil, w.r).Text = "%d %d" },
			`printf %r0, "%d %d": the format "%d %d" takes 2 values; found 1`},
		{"printf type", "", func(w *wrong) { w.Emit(OpPrintf, nil, w.r).Text = "%f" },
			`printf %r0, "%f": operand 1: expected a b64 register for f64; found %r0, a b32`},
		{"printf conversion", "", func(w *wrong) { w.Emit(OpPrintf, nil, w.r).Text = "%-5s" },
			`printf %r0, "%-5s": the format "%-5s" has %-5s: use d i u o x X c, with ll for 64 bits, p or e f g a`},
		{"printf end", "", func(w *wrong) { w.Emit(OpPrintf, nil).Text = "5%" },
			`printf "5%": the format "5%" ends inside of a conversion`},
		{"printf zero", "", func(w *wrong) { w.Emit(OpPrintf, nil).Text = "a\x00" },
			`printf "a\x00": the text holds a zero byte, which would end it: "a\x00"`},
		{"printf result", "", func(w *wrong) { w.Emit(OpPrintf, dst(w.r2)).Text = "x" },
			`printf %r2, "x": expected no result; found 1`},
		{"call of nothing", "", func(w *wrong) { w.Emit(OpCall, nil, w.r).Text = "free" }, `call %r0, "free": the driver has no function "free"`},
		{"call count", "", func(w *wrong) { w.Emit(OpCall, nil, w.r).Text = "vprintf" }, `call %r0, "vprintf": vprintf takes 2 operands; found 1`},
		{"call result", "", func(w *wrong) { w.Emit(OpCall, dst(w.r2), w.r, w.r, w.r, w.r, w.r).Text = "__assertfail" }, `call %r2, %r0, %r0, %r0, %r0, %r0, "__assertfail": expected no more results than __assertfail has; found 1`},
		{"call type", "", func(w *wrong) { w.Emit(OpCall, nil, w.r, I(0)).Text = "vprintf" }, `call %r0, 0, "vprintf": operand 1: expected a b64 register for b64; found %r0, a b32`},
		{"assert count", "", func(w *wrong) { w.Emit(OpAssert, nil, w.p, w.p).Text = "x" },
			`assert %p0, %p0, "x": expected one predicate; found 2 operands`},
		{"undef", "", func(w *wrong) { w.emit(OpUndef, nil) }, `undef: expected registers as results and no operands; found no operands`},
		{"undef of a value", "", func(w *wrong) { w.emit(OpUndef, dst(w.r2), w.r) },
			`undef %r2, %r0: expected registers as results and no operands; found a register <- a register`},
		{"undef of a vector", "", func(w *wrong) { w.emit(OpUndef, dst(w.r, V(w.r2, w.s))) },
			`undef %r0, {%r2, %r1}: result 2: expected a register; found a vector`},
		{"var of nothing", "", func(w *wrong) { w.emit(OpVar, nil, w.r) }, `var %r0: expected a variable with a scope, and a type unless it is nowhere`},
		{"var nowhere in a register", "", func(w *wrong) {
			v := known()
			v.Type = nil
			w.Emit(OpVar, nil, w.r).Var = v
		}, `var %r0, "v": expected a variable with a scope, and a type unless it is nowhere`},
		{"var with a result", "", func(w *wrong) { w.Emit(OpVar, dst(w.r2), w.r).Var = known() }, `var %r2, %r0, "v": expected no guard and no result; found a register <- a register`},
		{"var of two", "", func(w *wrong) { w.Emit(OpVar, nil, w.r, w.r2).Var = known() }, `var %r0, %r2, "v": variable v has 1 pieces; found 2`},
		{"var in memory", "", func(w *wrong) { w.Emit(OpVar, nil, At(w.d.Reg, 0)).Var = known() }, `var [%rd0], "v": operand 1: expected a register or a number; found an address`},
		{"undef with a guard", "", func(w *wrong) { w.Emit(OpUndef, dst(w.r2)).Guard = w.p.Reg }, `@%p0 undef %r2: expected no guard`},
		{"loop of no label", "", func(w *wrong) { w.Emit("exit", nil).Rolled = true },
			`exit: only a label begins a loop that is not unrolled`},
		{"assert", "", func(w *wrong) { w.Emit(OpAssert, nil, w.r).Text = "x" },
			`assert %r0, "x": operand 1: expected a pred register for pred; found %r0, a b32`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWrong()
			c.build(w)
			w.Emit("ret", nil)
			target := c.target
			if target == "" {
				target = "sm_90a"
			}
			err := Verify(w.m, target)
			if err == nil {
				t.Fatalf("no error, want %s", c.want)
			}
			var e *Error
			if !errors.As(err, &e) || e.Pos.Line < 3 || e.Func != "kernel k" || e.Index < 5 {
				t.Errorf("error %#v: want position, function and index", e)
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			_, text, _ := strings.Cut(first, "instruction ")
			if _, text, _ = strings.Cut(text, ", "); text != c.want {
				t.Errorf("error %s\nwant %s", text, c.want)
			}
		})
	}
}

// TestVerifyKernel has a kernel that breaks each rule about what it declares, and a host function likewise.
func TestVerifyKernel(t *testing.T) {
	k := func(m *Module) *Func { return m.Kernels[0] }
	launch := func(m *Module) *Instr { return &m.Host.Body[5] }
	for _, c := range []struct {
		target string
		break_ func(m *Module)
		want   string
	}{
		{"sm_9", func(m *Module) {},
			`there is no target "sm_9": choose one of sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_103a, sm_120, sm_120a, sm_121, sm_121a`},
		{"sm_90", func(m *Module) { k(m).Block = [3]int{32, 33, 1} },
			`kernel scale_0: a block of 32 x 33 x 1 is 1056 threads: it may have at most 1024`},
		{"sm_90", func(m *Module) { k(m).Block = [3]int{} },
			`kernel scale_0: a block of 0 x 0 x 0 threads: each extent must be at least 1`},
		{"sm_90", func(m *Module) { k(m).Block = [3]int{1, 1, 65} },
			`kernel scale_0: a block of 1 x 1 x 65 threads: it may have at most 64 along z`},
		{"sm_90", func(m *Module) { k(m).Cluster = [3]int{3, 6, 1} },
			`kernel scale_0: a cluster of 3 x 6 x 1 blocks: each extent must be positive, and there may be at most 16 blocks`},
		{"sm_80", func(m *Module) {}, `kernel scale_0: clusters need sm_90 or later: the target is sm_80`},
		{"sm_90", func(m *Module) { k(m).MinBlocks = 33 }, `kernel scale_0: at least 33 blocks on one multiprocessor: expected 1 to 32, or 0 for no demand`},
		{"sm_120", func(m *Module) { k(m).Shared = 200 << 10 }, `kernel scale_0: 204800 bytes of shared memory: sm_120 has 101376 for one block`},
		{"sm_90", func(m *Module) { k(m).MaxRegs = 256 },
			`kernel scale_0: at most 256 registers of a thread: expected 1 to 255, or 0 for no demand`},
		{"sm_90", func(m *Module) { k(m).MaxRegs = -1 },
			`kernel scale_0: at most -1 registers of a thread: expected 1 to 255, or 0 for no demand`},
		{"sm_90", func(m *Module) { m.Host.Body[4].Op, m.Host.Body[4].Src, m.Host.Body[4].Var = OpVar, nil, known() },
			`var: a host function has no variables for debuggers`},
		{"sm_90", func(m *Module) { m.Host.Body[4].Op, m.Host.Body[4].Src = OpUndef, nil },
			`undef: a host function computes what it launches: none of its values may be undefined`},
		{"sm_90", func(m *Module) { k(m).Local = -1 }, `kernel scale_0: -1 bytes of memory of each thread: expected 0 to 524288`},
		{"sm_90", func(m *Module) { k(m).Result = []Class{B32} }, `kernel scale_0: a kernel must not have results, but this one has 1`},
		{"sm_90", func(m *Module) { k(m).Regs[0] = 9 }, `kernel scale_0: register 0 has class 9: expected pred, b16, b32 or b64`},
		{"sm_90", func(m *Module) { k(m).Name = "a.b"; m.Host = nil },
			`kernel a.b: the name "a.b" is not a PTX identifier: expected letters, digits, _ and $`},
		{"sm_90", func(m *Module) { k(m).Name = "vprintf"; m.Host = nil }, `kernel vprintf: the name "vprintf" is reserved`},
		{"sm_90", func(m *Module) { k(m).Params[3].Name = "ä" },
			`kernel scale_0: the parameter's name "ä" is not a PTX identifier: expected letters, digits, _ and $`},
		{"sm_90", func(m *Module) { k(m).Params[3].Name = "n" }, `kernel scale_0: there are two parameters "n"`},
		{"sm_90", func(m *Module) { k(m).Params[3].Name = "smem" }, `kernel scale_0: a parameter cannot have the name "smem", which is reserved`},
		{"sm_90", func(m *Module) { k(m).Params[0].Type = "f16x2" },
			`kernel scale_0: parameter "x" has type "f16x2": expected one of [b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64]`},
		{"sm_90", func(m *Module) { k(m).Params[3].Type = "u8" },
			`kernel scale_0: parameter "map" has 128 bytes and type "u8": expected b8 with a positive number of bytes`},
		{"sm_90", func(m *Module) { k(m).Params[3].Align = 48 }, `kernel scale_0: parameter "map" has alignment 48: expected a power of two to 128`},
		{"sm_90", func(m *Module) { k(m).Params[3].Bytes = 40000; m.Host = nil },
			`kernel scale_0: the parameters have 40024 bytes: expected at most 32764`},
		{"sm_90", func(m *Module) { m.Kernels = append(m.Kernels, m.Kernels[0]) }, `there are two kernels "scale_0"`},
		{"sm_90", func(m *Module) { k(m).Body = k(m).Body[:len(k(m).Body)-1] },
			`kernel scale_0: the body runs past its end: expected ret, exit, trap or bra as its last instruction`},
		{"sm_90", func(m *Module) { k(m).Host = true },
			`host function scale_0: Host is true, expected false: only the module's host function has it`},

		{"sm_90", func(m *Module) { launch(m).Launch.Kernel = "f" }, `launch: there is no kernel "f"`},
		{"sm_90", func(m *Module) { launch(m).Src = launch(m).Src[:3] }, `launch: kernel scale_0 takes 4 arguments; found 3`},
		{"sm_90", func(m *Module) { launch(m).Src[0] = R(1) }, `launch: argument x: expected a b64 register for u64; found %r0, a b32`},
		{"sm_90", func(m *Module) { launch(m).Src[1] = Sym("m") }, `launch: argument n: expected b32 or number; found a symbol`},
		{"sm_90", func(m *Module) { launch(m).Src[3] = R(0) },
			`launch: argument map: expected a parameter of 128 bytes of the host function; found a register `},
		{"sm_90", func(m *Module) { launch(m).Src[3] = Sym("n") },
			`launch: argument map: expected a parameter of 128 bytes of the host function; found a symbol n`},
		{"sm_90", func(m *Module) { launch(m).Launch.Grid[2] = Operand{} }, `launch: grid size 3: expected b64 or number; found nothing`},
		{"sm_90", func(m *Module) { launch(m).Launch.PDL = true },
			`launch: the launch may start kernel scale_0 before the one before it has ended (PDL), so the kernel must wait for that one on every path, but does not`},
		{"sm_90", func(m *Module) { launch(m).Launch.Shared = Operand{} },
			`launch: the bytes of shared memory: expected b64 or number; found nothing`},
		{"sm_90", func(m *Module) { launch(m).Launch.Stream = R(1) }, `launch: the stream: expected a b64 register for b64; found %r0, a b32`},
		{"sm_90", func(m *Module) { launch(m).Launch.After = []Operand{I(1)} }, `launch: a token: expected b64; found a number`},
		{"sm_90", func(m *Module) { launch(m).Dst = nil }, `launch: expected one result, the token of an asynchronous launch; found 0`},
		{"sm_90", func(m *Module) { launch(m).Launch.Async = false }, `launch: expected no result of a launch that is not asynchronous; found 1`},
		{"sm_90", func(m *Module) { launch(m).Launch = nil }, `launch: the launch does not say what to launch`},
		{"sm_90", func(m *Module) { m.Host.Body[4].Op, m.Host.Body[4].Src = "ld.global.b32", []Operand{At(0, 0)} },
			`ld.global.b32: a host function has one thread and no memory: it cannot use ld.global.b32`},
		{"sm_90", func(m *Module) { m.Host.Body[4].Op, m.Host.Body[4].Src = "mov.u32", []Operand{S("%tid.x")} },
			`mov.u32: operand 1: a host function has no threads: it cannot read %tid.x`},
		{"sm_90", func(m *Module) { m.Host.Body[7].Src = nil }, `ret: expected 1 values to return; found 0`},
	} {
		m := example()
		c.break_(m)
		err := Verify(m, c.target)
		if err == nil {
			t.Errorf("no error, want %s", c.want)
			continue
		}
		got := err.Error()
		var e *Error
		if errors.As(err, &e) && e.Index >= 0 {
			got = e.Text[:strings.IndexAny(e.Text+" ", " ")] + ": " + e.Msg
			if op := m.Host.Body[e.Index].Op; op == OpLaunch {
				got = "launch: " + e.Msg
			}
		}
		if first, _, _ := strings.Cut(got, "\n"); first != c.want {
			t.Errorf("error %s\nwant  %s", first, c.want)
		}
	}
}

// TestVerifyGood has what the dataflow rule must accept.
func TestVerifyGood(t *testing.T) {
	for name, build := range map[string]func(*wrong){
		"both paths": func(w *wrong) {
			w.BranchIf(w.p.Reg, true, w.label)
			w.emit("mov.b32", dst(w.r2), w.r)
			w.Branch(w.elsewhere)
			w.Place(w.label)
			w.emit("mov.b32", dst(w.r2), w.s)
			w.Place(w.elsewhere)
			w.emit("st.global.b32", nil, At(w.d.Reg, 0), w.r2)
		},
		"undefined": func(w *wrong) {
			w.emit(OpUndef, dst(w.p1, w.h1, w.r2, w.d1))
			w.Emit("st.global.b32", nil, At(w.d.Reg, 0), w.r2).Guard = w.p1.Reg
			w.emit("st.global.b64", nil, At(w.d.Reg, 8), w.d1)
		},
		"loop": func(w *wrong) {
			w.emit("mov.b32", dst(w.r2), w.r)
			w.Place(w.label)
			w.emit("add.s32", dst(w.r2), w.r2, I(1))
			w.BranchIf(w.p.Reg, true, w.label)
			w.emit("st.global.b32", nil, At(w.d.Reg, 0), w.r2)
		},
		"path that stops": func(w *wrong) {
			w.BranchIf(w.p.Reg, true, w.label)
			w.emit("exit", nil)
			w.Place(w.elsewhere)
			w.emit("add.s32", dst(w.r2), w.r2, I(1)) // which nothing reaches
			w.Place(w.label)
		},
	} {
		w := newWrong()
		build(w)
		w.Emit("ret", nil)
		if err := Verify(w.m, "sm_90a"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVerifyTen has more mistakes than are listed.
func TestVerifyTen(t *testing.T) {
	w := newWrong()
	for range 20 {
		w.emit("nothing", nil)
	}
	w.Emit("ret", nil)
	if n := strings.Count(Verify(w.m, "sm_80").Error(), "\n") + 1; n != 10 {
		t.Errorf("%d mistakes, want 10", n)
	}
}

// TestVerifyVariables has a variable that breaks each rule.
func TestVerifyVariables(t *testing.T) {
	for _, c := range []struct {
		v    Var
		want string
	}{
		{Var{Name: "x", Space: "global", Align: 8, Bytes: 8}, ""},
		{Var{Name: "%x", Space: "global", Align: 8, Bytes: 8}, `the variable's name "%x" is not a PTX identifier`},
		{Var{Name: "smem", Space: "global", Align: 8, Bytes: 8}, `a variable cannot have the name "smem"`},
		{Var{Name: "k", Space: "global", Align: 8, Bytes: 8}, `there are two variables or kernels "k"`},
		{Var{Name: "m", Space: "global", Align: 8, Bytes: 8}, `there are a parameter and a variable "m"`},
		{Var{Name: "x", Space: "shared", Align: 8, Bytes: 8}, `variable "x" is in the space "shared"`},
		{Var{Name: "x", Space: "const", Align: 3, Bytes: 8}, `variable "x" has alignment 3`},
		{Var{Name: "x", Space: "const", Align: 8, Bytes: 1, Init: []byte{1, 2}}, `variable "x" has 1 bytes, of which 2 have values`},
		{Var{Name: "x", Space: "const", Align: 8, Bytes: 8, Refs: []Ref{{Name: "y"}}}, `variable "x" has the address of "y", which is not a variable`},
		{Var{Name: "x", Space: "const", Align: 8, Bytes: 8, Refs: []Ref{{Name: "x", Offset: 4}}}, `variable "x" has an address at byte 4 of 8`},
	} {
		w := newWrong()
		w.Place(w.label)
		w.Place(w.elsewhere)
		w.Emit("ret", nil)
		w.m.Vars = []*Var{&c.v}
		err := Verify(w.m, "sm_80")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, expected %q", c.v, err, c.want)
		}
	}
}

// TestErrorText: what a mistake says of its place, as far as it has one.
func TestErrorText(t *testing.T) {
	at := token.Position{Filename: "k.go", Line: 3, Column: 5}
	for want, e := range map[string]*Error{
		"wrong":                      {Index: -1, Msg: "wrong"},
		"k.go:3:5: wrong":            {Index: -1, Msg: "wrong", Pos: at},
		"kernel k: wrong":            {Index: -1, Msg: "wrong", Func: "kernel k"},
		"k.go:3:5: kernel k: wrong":  {Index: -1, Msg: "wrong", Func: "kernel k", Pos: at},
		"instruction 0, trap: wrong": {Msg: "wrong", Text: "trap"},
		"k.go:3:5: kernel k: instruction 7, trap: wrong": {Index: 7, Msg: "wrong", Text: "trap", Func: "kernel k", Pos: at},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// known is a variable of 32 bits.
func known() *VarPlace {
	return &VarPlace{Variable: &Variable{Name: "v", Scope: &Scope{Name: "k"}}, Type: &VarType{Name: "int32", Kind: VarInt, Bytes: 4}}
}
