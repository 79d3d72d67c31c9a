package emu_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// kernel begins a kernel with a block of so many threads and parameters p0, p1 ... of 64 bits.
func kernel(threads, params int) *simt.Builder {
	f := &simt.Func{Name: "k", Block: [3]int{threads, 1, 1}}
	for i := range params {
		f.Params = append(f.Params, simt.Param{Name: fmt.Sprintf("p%d", i), Type: "u64"})
	}
	return &simt.Builder{Func: f, Pos: token.Position{Filename: "k.go", Line: 1, Column: 1}}
}

// line gives what is appended a line of its own.
func line(b *simt.Builder, n int) { b.Pos = token.Position{Filename: "k.go", Line: n, Column: 1} }

func param(b *simt.Builder, i int) simt.Reg {
	return b.Value(simt.B64, "ld.param.b64", simt.AtName(fmt.Sprintf("p%d", i), 0)).Reg
}

func tid(b *simt.Builder) simt.Operand { return b.Value(simt.B32, "mov.u32", simt.S("%tid.x")) }

// tensorMap is the generic address of a parameter of bytes.
func tensorMap(b *simt.Builder, name string) simt.Operand {
	return simt.At(b.Value(simt.B64, "cvta.param.u64", b.Value(simt.B64, "mov.u64", simt.Sym(name))).Reg, 0)
}

// slot is the address of an element of size bytes, by an index of 32 bits.
func slot(b *simt.Builder, base simt.Reg, index simt.Operand, size int64) simt.Reg {
	return b.Value(simt.B64, "mad.wide.u32", index, simt.I(size), simt.R(base)).Reg
}

// start is where the first buffer lies; each buffer is gap further.
const start, gap = 0x10000, 0x1000000

// addrs are the addresses of n buffers.
func addrs(n int) (a []uint64) {
	for i := range n {
		a = append(a, start+uint64(i)*gap)
	}
	return a
}

// launch loads and runs a kernel whose parameters are the addresses of buffers.
func launch(b *simt.Builder, l emu.Launch, buffers ...[]byte) error {
	p, err := emu.Load(&simt.Module{Name: "m", Kernels: []*simt.Func{b.Func}})
	if err != nil {
		return err
	}
	l.Kernel = "k"
	if l.Grid == [3]int{} {
		l.Grid = [3]int{1, 1, 1}
	}
	l.Memory = &emu.Memory{}
	for i, data := range buffers {
		l.Memory.Map(addrs(len(buffers))[i], data, fmt.Sprintf("b%d", i), false)
	}
	if l.Args == nil {
		l.Args = addrs(len(buffers))
	}
	every2nd(&l)
	return p.Run(context.Background(), l)
}

// every2nd has every second launch counted, and most that look for no races run by a schedule, which must change nothing, unless benchmarks
// run.
func every2nd(l *emu.Launch) {
	launches++
	if flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	if launches%2 == 0 && l.Account == nil {
		l.Account = new(emu.Account)
	}
	if l.Schedule == 0 && !l.Races && l.Stdout == nil { // errors name the first who meet, and texts come in an order
		l.Schedule = uint64(launches % 8)
	}
}

var launches int

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantError asks for an error at a line with certain texts.
func wantError(t *testing.T, err error, line int, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %q", texts)
	}
	e, ok := err.(*emu.Error)
	if !ok {
		t.Fatalf("%v: a %T", err, err)
	}
	if e.Pos.Line != line {
		t.Errorf("line %d, want %d: %v", e.Pos.Line, line, err)
	}
	for _, s := range texts {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error lacks %q:\n%v", s, err)
		}
	}
}

func words(n int, f func(i int) uint32) []byte {
	out := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(out[4*i:], f(i))
	}
	return out
}

func word(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

func longs(xs []uint64) []byte {
	out := make([]byte, 8*len(xs))
	for i, x := range xs {
		binary.LittleEndian.PutUint64(out[8*i:], x)
	}
	return out
}

func long(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

// apply runs one instruction on many values: for each operand a class and its values. Half of the warps have lanes that
// do not take part, so that both ways of execution are seen.
func apply(t *testing.T, op string, result simt.Class, classes []simt.Class, values ...[]uint64) []uint64 {
	t.Helper()
	return applyWith(t, op, result, classes, nil, values...)
}

// applyWith has immediate operands at the end.
func applyWith(t *testing.T, op string, result simt.Class, classes []simt.Class, imm []simt.Operand, values ...[]uint64) []uint64 {
	t.Helper()
	n := len(values[0])
	b := kernel(64, len(values)+1)
	index := b.Value(simt.B32, "mad.lo.u32", b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x")), simt.I(64), tid(b))
	end := b.NewLabel()
	p := b.Value(simt.Pred, "setp.ge.u32", index, simt.I(int64(n)))
	b.BranchIf(p.Reg, true, end)
	var src []simt.Operand
	for i, c := range classes {
		at := simt.At(slot(b, param(b, i), index, 8), 0)
		if c == simt.Pred {
			src = append(src, b.Value(c, "setp.ne.u32", b.Value(simt.B32, "ld.global.b32", at), simt.I(0)))
			continue
		}
		src = append(src, b.Value(c, fmt.Sprintf("ld.global.b%d", c.Bits()), at))
	}
	out := slot(b, param(b, len(values)), index, 8)
	odd := b.Value(simt.B32, "and.b32", index, simt.I(33)) // in every second warp, every second lane
	half := b.Value(simt.Pred, "setp.eq.u32", odd, simt.I(33))
	r := simt.R(b.NewReg(result))
	src = append(src, imm...)
	for _, unless := range []bool{true, false} {
		in := b.Emit(op, []simt.Operand{r}, src...)
		in.Guard, in.Unless = half.Reg, unless
	}
	if result == simt.Pred {
		r = b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), r)
		result = simt.B32
	}
	b.Emit(fmt.Sprintf("st.global.b%d", result.Bits()), nil, simt.At(out, 0), r)
	b.Place(end)
	b.Emit("exit", nil)
	var buffers [][]byte
	for _, v := range values {
		buffers = append(buffers, longs(v))
	}
	res := make([]byte, 8*n)
	must(t, launch(b, emu.Launch{Grid: [3]int{(n + 63) / 64, 1, 1}}, append(buffers, res)...))
	got := make([]uint64, n)
	for i := range got {
		got[i] = long(res, i)
	}
	return got
}
