package emu_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// strided is a layout of CuTe: extents and strides.
type strided [][2]int

// at gives the offset of an index.
func (s strided) at(i int) (off int) {
	for _, mode := range s {
		off += i % mode[0] * mode[1]
		i /= mode[0]
	}
	return off
}

// fragment is where the registers of a warp are in tensor memory, as CUTLASS's copy traits have it in bits for x1: by thread
// and by bit of the thread's values, in rows of so many bits side by side.
type fragment struct {
	width       int // bits of a row, of x1
	thread, val func(width int) strided
}

var tensorFragments = map[string]fragment{
	"32x32b": {32, func(w int) strided { return strided{{32, w}} }, func(w int) strided { return strided{{w, 1}} }},
	"16x64b": {64, func(w int) strided { return strided{{2, 8 * w}, {2, 32}, {8, w}} },
		func(w int) strided { return strided{{32, 1}, {w / 64, 64}} }},
	"16x128b": {128, func(w int) strided { return strided{{4, 32}, {8, w}} },
		func(w int) strided { return strided{{32, 1}, {2, 8 * w}, {w / 128, 128}} }},
	"16x256b": {256, func(w int) strided { return strided{{4, 64}, {8, w}} },
		func(w int) strided { return strided{{64, 1}, {2, 8 * w}, {w / 256, 256}} }},
	"16x32bx2": {64, func(w int) strided { return strided{{16, w}, {2, w / 2}} }, func(w int) strided { return strided{{w / 2, 1}} }},
}

// tensorMoveCase is one form of ld or st.
type tensorMoveCase struct {
	op    string
	shape string
	num   int
	pack  bool
	split int // of 16x32bx2: columns
	row   int // first lane, in a warp's quarter
	col   int
	cols  int // to allocate
}

// place gives the lane in the quarter and the column of a register of a thread; packed registers have two.
func (c *tensorMoveCase) place(thread, reg int) (row, col int) {
	f := tensorFragments[c.shape]
	width := f.width * c.num
	bit := f.thread(width).at(thread) + f.val(width).at(32*reg)
	row, col = bit/width, bit%width/32
	half := 0
	if c.shape == "16x32bx2" {
		col, half = col%c.num, col/c.num
	}
	if c.pack {
		col *= 2
	}
	return c.row + row, c.col + col + half*c.split
}

func newTensorMove(op string, n int) *tensorMoveCase {
	words := strings.Split(op, ".")
	c := &tensorMoveCase{op: op, shape: words[4], pack: strings.Contains(op, "pack::16b"), col: n % 5}
	fmt.Sscanf(words[5], "x%d", &c.num)
	if c.shape == "16x32bx2" {
		c.split = 2*c.num + n%3
	}
	if strings.HasPrefix(c.shape, "16x") {
		c.row = 16 * (n % 2)
	}
	last := 1
	for thread := range 32 {
		for r := range c.regs() {
			_, col := c.place(thread, r)
			last = max(last, col+2)
		}
	}
	if last > 512 { // what fills tensor memory cannot begin further
		c.col, c.split, last = 0, min(c.split, 256), 512
	}
	for c.cols = 32; c.cols < last; c.cols *= 2 {
	}
	return c
}

// regs is the registers of a thread.
func (c *tensorMoveCase) regs() int {
	f := tensorFragments[c.shape]
	n := f.width * c.num / 32
	if strings.HasPrefix(c.shape, "16x") {
		n /= 2
	}
	return n
}

func (c *tensorMoveCase) bench(n int) *tensorBench {
	b := newTensorBench(1, 512, c.cols)
	for i := range b.tensor {
		b.tensor[i] = uint32(i)*2654435761 + uint32(n)
	}
	b.extra = make([]byte, 4*128*c.regs())
	var regs, moves []string
	for r := range c.regs() {
		regs = append(regs, fmt.Sprintf("%%x%d", r))
		moves = append(moves, fmt.Sprintf("MOVE [%%d4+%d], %%x%d;", 512*r, r))
	}
	vector, at := "{"+strings.Join(regs, ", ")+"}", fmt.Sprintf("[%%r5+%d]", c.col)
	b.body = fmt.Sprintf("mul.wide.u32 %%d5, %%r0, 4; add.u64 %%d4, %%d4, %%d5; add.u32 %%r5, %%r3, %d;\n", c.row<<16)
	split := ""
	if c.split > 0 {
		split = fmt.Sprintf(", %d", c.split)
	}
	if strings.HasPrefix(c.op, "tcgen05.ld") {
		b.body += c.op + " " + vector + ", " + at + split + "; tcgen05.wait::ld.sync.aligned;\n" +
			strings.ReplaceAll(strings.Join(moves, "\n"), "MOVE", "st.global.b32")
		return b
	}
	for r := range moves {
		moves[r] = fmt.Sprintf("ld.global.b32 %%x%d, [%%d4+%d];", r, 512*r)
	}
	b.body += strings.Join(moves, "\n") + "\n" + c.op + " " + at + split + ", " + vector + "; tcgen05.wait::st.sync.aligned;\n"
	for i := range len(b.extra) / 4 {
		binary.LittleEndian.PutUint32(b.extra[4*i:], uint32(i)*40503+uint32(n)<<20)
	}
	return b
}

func (c *tensorMoveCase) judge(n int) error {
	b := c.bench(n)
	b.races = n%8 == 0
	out, err := b.run()
	if err != nil {
		return err
	}
	want := append([]uint32(nil), b.tensor...)
	halves := map[int]bool{} // words of which the upper half is unknown
	for thread := range 128 {
		for r := range c.regs() {
			row, col := c.place(thread%32, r)
			at := b.at(0, thread/32*32+row, col)
			x := word(b.extra, r*128+thread)
			switch {
			case strings.HasPrefix(c.op, "tcgen05.st") && c.pack:
				want[at], want[at+128] = x&0xffff, x>>16
				halves[at], halves[at+128] = true, true
			case strings.HasPrefix(c.op, "tcgen05.st"):
				want[at] = x
			default:
				y := want[at]
				if c.pack {
					y = y&0xffff | want[at+128]<<16
				}
				if x != y {
					return fmt.Errorf("%+v: register %d of thread %d is %#x, want %#x", c, r, thread, x, y)
				}
			}
		}
	}
	for i, x := range want {
		got := out[i]
		if halves[i] {
			got &= 0xffff
		}
		if got != x {
			return fmt.Errorf("%+v: lane %d, column %d is %#x, want %#x", c, i%128, i/128, got, x)
		}
	}
	return nil
}

// TestEveryTensorMove compares every load and store with the layouts that CUTLASS has for them.
func TestEveryTensorMove(t *testing.T) {
	n := 0
	for form := range simt.Forms() {
		if strings.HasPrefix(form.Op, "tcgen05.ld.") || strings.HasPrefix(form.Op, "tcgen05.st.") {
			must(t, newTensorMove(form.Op, n).judge(n))
			n++
		}
	}
	if n != 2*2*(3*8+7+6) {
		t.Errorf("%d forms", n)
	}
}
