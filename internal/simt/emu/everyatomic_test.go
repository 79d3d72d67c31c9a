package emu_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// Each thread changes a cell of its own, whose old value must be exact, and one that it shares with others: an order of the
// threads must explain what all of them found there.
func TestEveryAtomic(t *testing.T) {
	everyForm(t, func(form *simt.Form, p spot, n int) error {
		a := newAtomic(form, p)
		a.races = n%4 == 1 // the search has paths of its own, but takes most of the time
		return a.judge()
	}, "atom", "red")
}

const (
	atomThreads = 100
	hotCells    = 5 // of a block
	asleep      = 7 // one thread in so many does nothing
)

// atomic is a form under test.
type atomic struct {
	bench
	form     string
	op, typ  string
	bits     int
	returns  bool
	nothing  uint64 // in the registers of results where there are none
	mem, in  []byte
	own, hot []hit // by thread
}

func sleeps(g int) bool { return g%atomThreads%asleep == 3 }

// hit is one atomic operation: the offset of its cell in its block's memory, its operands, and what it found.
type hit struct {
	at        int
	x, y, old uint64
}

func newAtomic(form *simt.Form, p spot) *atomic {
	words := strings.Split(form.Op, ".")
	a := &atomic{form: form.Op, typ: words[len(words)-1], returns: words[0] == "atom"}
	a.bits = simt.TypeBits(a.typ)
	a.nothing = 0x5a5a5a5a5a5a5a5a >> (64 - a.bits)
	for _, op := range strings.Fields("add min max and or xor inc dec exch cas") {
		if slices.Contains(words, op) {
			a.op = op
		}
	}
	a.bench = bench{spot: p, threads: atomThreads, chunk: 32}
	a.mem, a.in = make([]byte, p.blocks*a.size()), make([]byte, p.blocks*atomThreads*64)
	for i := range a.mem {
		a.mem[i] = byte(i*37 + 11) // neighbours of the cells, which must not change
	}
	values, size := atomValues[strings.TrimLeft(a.typ, "usb")], a.bits/8
	for g := range p.blocks * atomThreads {
		k, n := g%atomThreads, len(values)
		i, j := k%n, k/n%n
		if g >= atomThreads {
			i, j = j, (i+1)%n
		}
		own := hit{at: 16*k + k%(16/size)*size, x: values[j], y: values[(i+3)%n]}
		hot := a.crowd(k / hotCells)
		hot.at = 16*atomThreads + 16*(g%hotCells) + g%hotCells%(16/size)*size
		region := a.mem[a.region(g)*a.size():]
		a.put(region[own.at:], values[i])
		a.put(region[hot.at:], hot.old)
		a.own, a.hot = append(a.own, own), append(a.hot, hot)
		takes := uint64(1)
		if sleeps(g) {
			takes = 0
		} else if strings.Contains(a.form, "async") {
			a.async += size * 2 / p.blocks
		}
		copy(a.in[64*g:], longs([]uint64{uint64(own.at), own.x, own.y, takes, uint64(hot.at), hot.x, hot.y}))
	}
	return a
}

// region is the block whose memory a thread changes.
func (a *atomic) region(g int) int { return (g/atomThreads + 1) % a.blocks }

func (a *atomic) put(b []byte, x uint64) {
	copy(b, binary.LittleEndian.AppendUint64(nil, x)[:a.bits/8])
}

func (a *atomic) get(b []byte) uint64 {
	var word [8]byte
	copy(word[:], b[:a.bits/8])
	return long(word[:], 0)
}

// judge runs the form and looks at memory and results.
func (a *atomic) judge() error {
	if err := a.load(a.body(), nil); err != nil {
		return err
	}
	got, out := slices.Clone(a.mem), make([]byte, 16*len(a.own))
	if err := a.run(got, a.in, out); err != nil {
		return err
	}
	cells := map[int][]hit{}
	for g := range a.own {
		at := a.region(g)*a.size() + a.own[g].at
		first, second := a.get(out[16*g:]), a.get(out[16*g+8:])
		old, now := a.get(a.mem[at:]), a.get(got[at:])
		want, result := a.after(old, a.own[g].x, a.own[g].y), old
		if !a.returns || sleeps(g) {
			result = a.nothing
		}
		if sleeps(g) {
			want = old
		}
		if !a.same(now, want) || first != result {
			return fmt.Errorf("thread %d with %#x, %#x finds %#x, %#x is its result, want %#x; %#x is left, want %#x",
				g, a.own[g].x, a.own[g].y, old, first, result, now, want)
		}
		a.put(a.mem[at:], now)
		hot := a.region(g)*a.size() + a.hot[g].at
		if h := a.hot[g]; !sleeps(g) {
			h.old = second
			cells[hot] = append(cells[hot], h)
		} else if second != a.nothing {
			return fmt.Errorf("thread %d does nothing and has the result %#x", g, second)
		}
	}
	for at, hits := range cells {
		want, ok := a.chain(a.get(a.mem[at:]), hits)
		if now := a.get(got[at:]); !ok || now != want {
			return fmt.Errorf("cell %d: no order explains %#x, after %#x, of %#x", at, now, a.get(a.mem[at:]), hits)
		}
		a.put(a.mem[at:], want)
	}
	if !bytes.Equal(got, a.mem) {
		return fmt.Errorf("neighbouring bytes change")
	}
	return nil
}

// body is PTX of both operations of a thread. The second one has an address of 32 bits where PTX allows that.
func (a *atomic) body() string {
	reg := map[int]string{16: "%h", 32: "%r", 64: "%d"}[a.bits]
	text := "mad.wide.u32 %x0, %g, 64, %in; ld.global.u64 %x1, [%x0+24]; setp.ne.u64 %p, %x1, 0; mad.wide.u32 %x2, %g, 16, %out;\n"
	for k, at := range []string{"%x3", "%x4"} {
		i := 3 * k
		text += fmt.Sprintf("ld.global.u64 %s, [%%x0+%d]; add.u64 %s, %s, %%base;\n", at, 32*k, at, at)
		for j := range 2 {
			text += fmt.Sprintf("ld.global.b%d %s%d, [%%x0+%d];\n", a.bits, reg, i+j, 32*k+8+8*j)
		}
		if k == 1 && strings.Contains(a.form, ".shared") {
			at, text = "%y0", text+"cvt.u32.u64 %y0, %x4;\n"
		}
		text += fmt.Sprintf("mov.b%d %s%d, %d;\n@%%p %s ", a.bits, reg, i+2, a.nothing, a.form)
		if a.returns {
			text += fmt.Sprintf("%s%d, ", reg, i+2)
		}
		text += fmt.Sprintf("[%s], %s%d", at, reg, i)
		if a.op == "cas" {
			text += fmt.Sprintf(", %s%d", reg, i+1)
		}
		if a.async > 0 {
			text += ", [%mb]"
		}
		text += fmt.Sprintf(";\nst.global.b%d [%%x2+%d], %s%d;\n", a.bits, 8*k, reg, i+2)
	}
	return text
}
