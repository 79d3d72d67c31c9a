package x86_test

import (
	"runtime"
	"syscall"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// guarded gives memory of a page between two that may not be touched.
func guarded(t *testing.T) []byte {
	page := syscall.Getpagesize()
	b, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	for _, at := range []int{0, 2 * page} {
		if err := syscall.Mprotect(b[at:at+page], syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return b[page : 2*page]
}

// TestMasksKeepOut runs masked accesses whose lanes outside the mask lie in memory that may not be touched: behind the end,
// before the beginning, or anywhere for gathers and scatters. A mistake ends the test with a fault.
func TestMasksKeepOut(t *testing.T) {
	page := guarded(t)
	for _, l := range levels(t) {
		for _, op := range []vec.Op{vec.Load, vec.Store, vec.Gather, vec.Scatter} {
			for _, in := range vectest.Instrs(op) {
				if in.Mask == 0 || in.Imm > 1 {
					continue
				}
				f, err := vectest.Around(in)
				if err != nil {
					t.Fatal(err)
				}
				code, fn, err := compile(f, l)
				if err != nil {
					t.Fatal(err)
				}
				keepOut(t, in, page, func(frame []uint64) { vec.Eval(f, frame) }, func(frame []uint64) { call(code, fn, frame) })
				code.Free()
			}
		}
	}
}

// keepOut tries masks of the first and of the last lanes.
func keepOut(t *testing.T, in vec.Instr, page []byte, runs ...func(frame []uint64)) {
	size := in.Type.Bytes()
	for n := range vec.Lanes + 1 {
		for _, last := range []bool{false, true} {
			at := addr(page) + uint64(len(page)-n*size) // the last lanes that may be touched end where the page does
			if last {
				at = addr(page) - uint64((vec.Lanes-n)*size)
			}
			if in.Op == vec.Gather || in.Op == vec.Scatter {
				at = addr(page)
			}
			var results [2]string
			for k, run := range runs {
				ops, out := buffer(4*128), buffer(128)
				for i := range vec.Lanes {
					on := last && i >= vec.Lanes-n || !last && i < n
					if on {
						ops[3*128+4*i] = 1
					}
					index := ops[i*in.From.Bytes():]
					switch {
					case in.From == vec.NoType:
						ops[i*size] = byte(i + 1)
					case on:
						index[0], index[1] = byte(8*i), byte(i/2)
					default:
						index[2], index[3] = byte(i), byte(0x70+i*16) // far away
					}
					ops[128+i*size] = byte(i + 100)
				}
				for i := range page {
					page[i] = byte(i*7 + i>>8)
				}
				run([]uint64{addr(ops), addr(out), at - 8}) // the instruction's memory has an index of 8 bytes
				runtime.KeepAlive(ops)
				results[k] = string(out) + string(page)
			}
			if results[0] != results[1] {
				t.Fatalf("%s.%s.%s, %d lanes, last %v: got %x, want %x", in.Op, in.Type, in.From, n, last, results[1][:128], results[0][:128])
			}
		}
	}
}
