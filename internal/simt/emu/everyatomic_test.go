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
		if strings.HasSuffix(form.Op, ".b128") {
			return judgeWide(form.Op, p, n%4 == 1)
		}
		a := newAtomic(form, p)
		a.races = n%4 == 1 // the search has paths of its own, but takes most of the time
		return a.judge()
	}, "atom", "red")
}

const (
	hotCells = 5 // of a block
	asleep   = 7 // one thread in so many does nothing
)

// atomic is a form under test. Its elements, where it has several, lie side by side in a cell, and each is judged by itself.
type atomic struct {
	bench
	form     string
	op, typ  string
	bits, n  int // of an element; elements
	returns  bool
	nothing  uint64 // in the registers of results where there are none
	record   int    // bytes of what a thread is told
	mem, in  []byte
	own, hot []hit // by thread and element
}

func (a *atomic) sleeps(g int) bool { return g%a.threads%asleep == 3 }

// hit is one atomic operation: the offset of its element in its block's memory, its operands, and what it found.
type hit struct {
	at        int
	x, y, old uint64
}

func newAtomic(form *simt.Form, p spot) *atomic {
	words := strings.Split(form.Op, ".")
	a := &atomic{form: form.Op, typ: words[len(words)-1], n: 1, returns: words[0] == "atom"}
	a.bits = simt.TypeBits(a.typ)
	a.nothing = 0x5a5a5a5a5a5a5a5a >> (64 - a.bits)
	for _, op := range strings.Fields("add min max and or xor inc dec exch cas") {
		if slices.Contains(words, op) {
			a.op = op
		}
	}
	if v := words[len(words)-2]; v == "v2" || v == "v4" || v == "v8" {
		a.n = int(v[1] - '0')
	}
	a.record = 16 * (2 + 2*a.n)
	a.bench = bench{spot: p, threads: 100, chunk: 32}
	if a.n > 1 { // of which each thread tries many values
		a.threads = 40
	}
	a.mem, a.in = make([]byte, p.blocks*a.size()), make([]byte, p.blocks*a.threads*a.record)
	for i := range a.mem {
		a.mem[i] = byte(i*37 + 11) // neighbours of the cells, which must not change
	}
	values, size := atomValues[strings.TrimLeft(a.typ, "usb")], a.bits/8
	for g := range p.blocks * a.threads {
		k, n := g%a.threads, len(values)
		i, j := k%n, k/n%n
		if g >= a.threads {
			i, j = j, (i+1)%n
		}
		takes := uint64(1)
		if a.sleeps(g) {
			takes = 0
		} else if strings.Contains(a.form, "async") {
			a.async += size * 2 / p.blocks
		}
		span := size * a.n
		ownAt, hotAt := 16*k+k%(16/span)*span, 16*a.threads+16*(g%hotCells)+g%hotCells%(16/span)*span
		told := []uint64{takes, uint64(ownAt), uint64(hotAt), 0}
		region := a.mem[a.region(g)*a.size():]
		for e := range a.n {
			own := hit{at: ownAt + size*e, x: values[(j+e)%n], y: values[(i+e+3)%n]}
			hot := a.crowd(k/hotCells + e)
			hot.at = hotAt + size*e
			a.put(region[own.at:], values[(i+2*e)%n])
			a.put(region[hot.at:], hot.old)
			a.own, a.hot = append(a.own, own), append(a.hot, hot)
			told = append(told, own.x, own.y, hot.x, hot.y)
		}
		copy(a.in[a.record*g:], longs(told))
	}
	return a
}

// region is the block whose memory a thread changes.
func (a *atomic) region(g int) int { return (g/a.threads + 1) % a.blocks }

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
	for i := range a.own {
		g := i / a.n
		at := a.region(g)*a.size() + a.own[i].at
		first, second := a.get(out[16*i:]), a.get(out[16*i+8:])
		old, now := a.get(a.mem[at:]), a.get(got[at:])
		want, result := a.after(old, a.own[i].x, a.own[i].y), old
		if !a.returns || a.sleeps(g) {
			result = a.nothing
		}
		if a.sleeps(g) {
			want = old
		}
		if !a.same(now, want) || first != result {
			return fmt.Errorf("thread %d with %#x, %#x finds %#x, %#x is its result, want %#x; %#x is left, want %#x",
				g, a.own[i].x, a.own[i].y, old, first, result, now, want)
		}
		a.put(a.mem[at:], now)
		hot := a.region(g)*a.size() + a.hot[i].at
		if h := a.hot[i]; !a.sleeps(g) {
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
	text := fmt.Sprintf(`mad.wide.u32 %%x0, %%g, %d, %%in; ld.global.u64 %%x1, [%%x0]; setp.ne.u64 %%p, %%x1, 0; mad.wide.u32 %%x2, %%g, %d, %%out;
ld.global.u64 %%x3, [%%x0+8]; add.u64 %%x3, %%x3, %%base; ld.global.u64 %%x4, [%%x0+16]; add.u64 %%x4, %%x4, %%base; cvt.u32.u64 %%y0, %%x4;
`, a.record, 16*a.n)
	vector := func(kind int) string { // 0 for x, 1 for y, 2 for the result
		var all []string
		for e := range a.n {
			all = append(all, fmt.Sprint(reg, 3*e+kind))
		}
		if a.n == 1 {
			return all[0]
		}
		return "{" + strings.Join(all, ", ") + "}"
	}
	for k, at := range []string{"%x3", "%x4"} {
		after := ""
		for e := range a.n {
			for j := range 2 {
				text += fmt.Sprintf("ld.global.b%d %s%d, [%%x0+%d];\n", a.bits, reg, 3*e+j, 32+32*e+16*k+8*j)
			}
			text += fmt.Sprintf("mov.b%d %s%d, %d;\n", a.bits, reg, 3*e+2, a.nothing)
			after += fmt.Sprintf("st.global.b%d [%%x2+%d], %s%d;\n", a.bits, 16*e+8*k, reg, 3*e+2)
		}
		if k == 1 && strings.Contains(a.form, ".shared") {
			at = "%y0"
		}
		text += "@%p " + a.form + " "
		if a.returns {
			text += vector(2) + ", "
		}
		text += fmt.Sprintf("[%s], %s", at, vector(0))
		if a.op == "cas" {
			text += ", " + vector(1)
		}
		if a.async > 0 {
			text += ", [%mb]"
		}
		text += ";\n" + after
	}
	return text
}
