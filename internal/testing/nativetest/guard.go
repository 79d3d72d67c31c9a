//go:build linux || darwin

package nativetest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
	memory "github.com/cutile-go/cutile/internal/testing/guard"
)

// guard runs the instructions that access memory at both ends of a page between pages that nobody may touch, with masks whose
// other lanes lie there.
func guard(t *testing.T, b Backend) {
	page, err := memory.New(os.Getpagesize(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Free()
	g := guarded{b, page.Bytes}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for op := range vec.Table {
		if op := vec.Op(op); op.HasMem() {
			for _, in := range vectest.Instrs(op) {
				g.instr(t, in)
			}
		}
	}
}

type guarded struct {
	Backend
	page []byte
}

// some are masks, a bit for each lane: none, the first ones, the last ones, and one lane at a time.
var some = []uint16{0, 1, 0x7, 0xff, 0x1ff, 0x7fff, 0x8000, 0xfe00, 0xff00, 0xfffe, 0x0100, 0x0010, 0x5554, 0xffff}

func (g *guarded) instr(t *testing.T, in vec.Instr) {
	f, err := vectest.Around(in)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.program(f)
	if err == errLacks {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	masks := some
	if in.Mask == 0 {
		masks = []uint16{0xffff}
	}
	for _, mask := range masks {
		for _, atEnd := range []bool{false, true} {
			want, _ := g.run(func(frame []uint64) { vec.Eval(f, frame) }, in, mask, atEnd)
			got, err := g.run(func(frame []uint64) { p.call(frame) }, in, mask, atEnd)
			if err == nil && got != want {
				err = errors.New("memory or the result differs from the evaluator's")
			}
			if err != nil {
				t.Fatalf("%s at level %s, lanes %#x: %v", f.Text(&in), g.Level, mask, err)
			}
		}
	}
}

// run calls the function with the lanes of the mask at the page's begin or end, and gives what it wrote.
func (g *guarded) run(call func(frame []uint64), in vec.Instr, mask uint16, atEnd bool) (wrote string, err error) {
	ops, out := buffer(4*128), buffer(128)
	for i := range ops {
		ops[i] = byte(i*5 + i>>8)
	}
	for i := range g.page {
		g.page[i] = byte(i*7 + i>>8)
	}
	for i := range vec.Lanes {
		put(ops[3*128+4*i:], 4, uint64(mask>>i&1))
	}
	at := g.place(in, mask, atEnd)
	if in.Op == vec.Gather || in.Op == vec.Scatter {
		at = addr(g.page)
		for i := range vec.Lanes {
			put(ops[i*in.From.Bytes():], in.From.Bytes(), uint64(g.index(in, mask, i, atEnd)))
		}
	}
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%v", e)
		}
	}()
	call([]uint64{addr(ops), addr(out), at - 8})
	runtime.KeepAlive(ops)
	return string(out) + string(g.page), nil
}

// place is where a contiguous access begins whose lanes of the mask touch the page's begin or end.
func (g *guarded) place(in vec.Instr, mask uint16, atEnd bool) uint64 {
	first, last := 0, 0 // lanes
	if in.Op == vec.Load || in.Op == vec.Store || in.Op == vec.StoreStream {
		for i := range vec.Lanes {
			if mask>>i&1 != 0 {
				last = i
			}
			if mask>>(vec.Lanes-1-i)&1 != 0 {
				first = vec.Lanes - 1 - i
			}
		}
	}
	size := in.Type.Bytes()
	if atEnd {
		return addr(g.page) + uint64(len(g.page)-(last+1)*size)
	}
	return addr(g.page) - uint64(first*size)
}

// index is that of a lane: at the page's begin or end, or outside of it where the mask does not have the lane.
func (g *guarded) index(in vec.Instr, mask uint16, i int, atEnd bool) int64 {
	elems := int64(len(g.page)) / in.Imm
	switch on := mask>>i&1 != 0; {
	case on && atEnd:
		return int64(len(g.page)-in.Type.Bytes()) / in.Imm
	case on:
		return 0
	case atEnd:
		return elems + int64(i)
	}
	return -1 - int64(i)
}
