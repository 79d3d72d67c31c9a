package emu_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// Threads read and write pieces of memory through registers of every width that a type may have. A piece that lies across its
// alignment or the end of the memory is a mistake of the thread.
func TestEveryAccess(t *testing.T) {
	everyForm(t, func(form *simt.Form, p spot, n int) error {
		a := newAccess(form, p)
		a.races = n%4 == 1 // the search has paths of its own, but takes most of the time
		if err := a.judge(); err != nil {
			return err
		}
		return a.mistakes()
	}, "ld", "st")
}

const (
	accessThreads = 32
	idle          = 9       // one thread in so many does nothing
	nothing       = 0x6b6b6 // in the registers of those, and in those that are not read
)

// access is a form under test.
type access struct {
	bench
	form, typ string
	bits, n   int // of an element; elements
	loads     bool
	ways      []way
	piece     int // bytes between the pieces that a thread accesses, and the most that one has
	record    int // bytes of what a thread is told, and of its results
	mem, in   []byte
	wrong     *int // the offset of all accesses by name
}

// way is what one instruction has for a value: a register class, and elements that are "_" or numbers.
type way struct {
	class simt.Class
	sinks bool // every second element from the first on is "_"
	imm   bool // or a number
}

func newAccess(form *simt.Form, p spot) *access {
	words := strings.Split(form.Op, ".")
	a := &access{form: form.Op, typ: words[len(words)-1], n: 1, loads: words[0] == "ld"}
	if v := words[len(words)-2]; v == "v2" || v == "v4" || v == "v8" {
		a.n = int(v[1] - '0')
	}
	a.bits = simt.TypeBits(a.typ)
	classes := []simt.Class{simt.ClassOf(a.typ)}
	if a.bits == 8 {
		classes = []simt.Class{simt.B16, simt.B32}
	}
	for _, c := range classes {
		a.ways = append(a.ways, way{class: c})
		if a.loads && a.n > 1 {
			a.ways = append(a.ways, way{class: c, sinks: true})
		}
	}
	if !a.loads && (a.n == 1 || !strings.Contains(a.form, "async")) {
		a.ways = append(a.ways, way{class: classes[0], imm: true})
	}
	a.piece, a.record = max(16, a.span()), 8*max(16, 2+a.slot(len(a.ways), 0))
	a.bench = bench{spot: p, threads: accessThreads, chunk: 4 * a.piece, slack: a.span() / 2}
	a.mem = make([]byte, (p.blocks-1)*a.stride()+accessThreads*a.chunk+a.slack)
	for i := range a.mem {
		a.mem[i] = byte(i*i>>3 + i*151 + 0x87)
	}
	a.in = make([]byte, p.blocks*accessThreads*a.record)
	for i := range a.in {
		a.in[i] = byte(i*i>>2 + i*91 + 0x5c)
	}
	for g := range p.blocks * accessThreads {
		copy(a.in[a.record*g:], longs([]uint64{uint64(a.offset(g)), a.takes(g)}))
		if strings.Contains(a.form, "async") && g < accessThreads {
			a.async += int(a.takes(g)) * a.span() * len(a.ways)
		}
	}
	return a
}

// span is the bytes of an access.
func (a *access) span() int { return a.bits / 8 * a.n }

// slot numbers the elements of all ways.
func (a *access) slot(w, e int) int { return max(4, a.n)*w + e }

// takes is 1 for a thread that takes part.
func (a *access) takes(g int) uint64 {
	if g%accessThreads%idle == 4 {
		return 0
	}
	return 1
}

// named reports whether the address is a parameter's name, which has no register.
func (a *access) named() bool { return a.base == "" }

// offset is where the first piece of a thread begins in its bytes: at every place that the alignment allows.
func (a *access) offset(g int) int {
	switch {
	case a.wrong != nil:
		return *a.wrong
	case a.named():
		return (a.piece - a.span()) / a.span() * a.span()
	}
	return g % (a.piece / a.span()) * a.span()
}

// at is where a thread finds the piece of its w-th way in all the memory.
func (a *access) at(g, w int) int {
	block, i := (g/accessThreads+1)%a.blocks, g%accessThreads
	if a.named() {
		i = 0
	}
	return block*a.stride() + i*a.chunk + a.offset(g) + w*a.piece
}

// fileOf gives the registers of a class their name.
var fileOf = map[simt.Class]string{simt.B16: "%h", simt.B32: "%r", simt.B64: "%d"}

// operand is the value of a way.
func (a *access) operand(w int) string {
	number, _ := a.immediate()
	var elems []string
	for e := range a.n {
		if a.ways[w].imm && e%2 == 0 {
			elems = append(elems, number)
		} else if a.ways[w].sinks && e%2 == 0 {
			elems = append(elems, "_")
		} else {
			elems = append(elems, fmt.Sprint(fileOf[a.ways[w].class], a.slot(w, e)))
		}
	}
	if a.n == 1 {
		return elems[0]
	}
	return "{" + strings.Join(elems, ", ") + "}"
}

// immediate is a number that is written as such, and its bits: a negative one where there are.
func (a *access) immediate() (string, uint64) {
	bits := uint64(0x89abcdef01234567) >> (64 - a.bits)
	switch a.typ[0] {
	case 'f':
		return fmt.Sprintf("0%c%X", "fd"[a.bits/64], bits), bits
	case 's':
		return "-3", ^uint64(2)
	}
	return fmt.Sprintf("0x%x", bits), bits
}

// body is PTX of all ways. A load's results are written out with the bits above those of their registers' widths, which are
// zeros if all is right.
func (a *access) body() string {
	text := fmt.Sprintf(`mad.wide.u32 %%x0, %%g, %d, %%in; ld.global.u64 %%x1, [%%x0]; ld.global.u64 %%x2, [%%x0+8]; setp.ne.u64 %%p, %%x2, 0;
add.u64 %%x1, %%x1, %%base; add.u64 %%x1, %%x1, %%step; add.u64 %%x1, %%x1, 32; cvt.u32.u64 %%y0, %%x1; mad.wide.u32 %%x2, %%g, %d, %%out; mov.b16 %%z, 0;
`, a.record, a.record)
	before, after, ways := "", "", ""
	for w, way := range a.ways {
		for e := range a.n {
			r, at := fmt.Sprint(fileOf[way.class], a.slot(w, e)), 8*a.slot(w, e)
			switch {
			case !a.loads && way.imm && e%2 == 0:
			case !a.loads:
				before += fmt.Sprintf("ld.global.%v %s, [%%x0+%d];\n", way.class, r, at+16)
			case way.class == simt.B16:
				before += fmt.Sprintf("mov.b16 %s, %d;\n", r, nothing&0xffff)
				after += fmt.Sprintf("mov.b32 %%y1, {%s, %%z}; st.global.b32 [%%x2+%d], %%y1;\n", r, at)
			default:
				before += fmt.Sprintf("mov.%v %s, %d;\n", way.class, r, nothing)
				after += fmt.Sprintf("st.global.%v [%%x2+%d], %s;\n", way.class, at, r)
			}
		}
		addr := fmt.Sprintf("[%%x1+%d]", a.piece*w-32)
		if w%2 == 1 && strings.Contains(a.form, ".shared") { // where PTX has addresses of 32 bits
			addr = strings.Replace(addr, "%x1", "%y0", 1)
		} else if a.named() {
			addr = fmt.Sprintf("[bytes+%d]", a.offset(0)+a.piece*w)
		}
		switch {
		case a.loads:
			ways += fmt.Sprintf("@%%p %s %s, %s;\n", a.form, a.operand(w), addr)
		case a.async > 0:
			ways += fmt.Sprintf("@%%p %s %s, %s, [%%mb];\n", a.form, addr, a.operand(w))
		default:
			ways += fmt.Sprintf("@%%p %s %s, %s;\n", a.form, addr, a.operand(w))
		}
	}
	return text + before + ways + after
}

// judge runs the form where all is well.
func (a *access) judge() error {
	if err := a.load(a.body(), a.mem); err != nil {
		return err
	}
	want, got, out := slices.Clone(a.mem), slices.Clone(a.mem), make([]byte, a.blocks*accessThreads*a.record)
	if err := a.run(got, a.in, out); err != nil {
		return err
	}
	for g := range a.blocks * accessThreads {
		for w := range a.ways {
			for e := range a.n {
				k, at := a.slot(w, e), a.at(g, w)+a.bits/8*e
				if !a.loads && a.takes(g) == 1 {
					copy(want[at:], a.stored(g, w, e))
				}
				if result := long(out[a.record*g:], k); a.loads && result != a.loaded(g, w, e, at) {
					return fmt.Errorf("thread %d, %s: element %d is %#x, want %#x", g, a.operand(w), e, result, a.loaded(g, w, e, at))
				}
			}
		}
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("byte %d is %#x, want %#x, was %#x", i, got[i], want[i], a.mem[i])
		}
	}
	return nil
}

// stored gives the bytes that an element has in memory.
func (a *access) stored(g, w, e int) []byte {
	_, bits := a.immediate()
	if !a.ways[w].imm || e%2 == 1 {
		bits = long(a.in[a.record*g+16:], a.slot(w, e))
	}
	return binary.LittleEndian.AppendUint64(nil, bits)[:a.bits/8]
}

// loaded gives what an element's register has: the sign of a signed number fills it.
func (a *access) loaded(g, w, e, at int) uint64 {
	width := a.ways[w].class.Bits()
	mask := ^uint64(0) >> (64 - width)
	if a.takes(g) == 0 || a.ways[w].sinks && e%2 == 0 {
		return nothing & mask
	}
	var x uint64
	for i := range a.bits / 8 {
		x += uint64(a.mem[at+i]) << (8 * i)
	}
	if negative := x>>(a.bits-1) == 1; negative && a.typ[0] == 's' {
		x -= 1 << (a.bits - 1) << 1
	}
	return x & mask
}

// mistakes lets one thread err: it must be named with the reason.
func (a *access) mistakes() error {
	const culprit = 12
	end, span := a.bench.size()-a.slack, a.span()
	type mistake struct {
		at   int
		want string
	}
	a.races = false
	list := []mistake{{end, "outside of"}, {end + span, "outside of"}}
	if a.async == 0 && a.space != "param" { // other things stand before
		list = append(list, mistake{-span, "outside of"})
	}
	if span > 1 {
		lies := fmt.Sprintf("not a multiple of %d", span)
		list = append(list, mistake{1, lies}, mistake{span/2 + 3*span, lies})
	}
	for _, m := range list {
		in, thread, offset := slices.Clone(a.in), culprit, m.at
		if a.space != "local" {
			offset -= thread * a.chunk // from the thread's own bytes
		}
		binary.LittleEndian.PutUint64(in[a.record*thread:], uint64(offset))
		if a.named() {
			a.wrong, thread = &m.at, 0
			if err := a.load(a.body(), a.mem); err != nil {
				return err
			}
		}
		err := a.run(slices.Clone(a.mem), in, make([]byte, a.blocks*accessThreads*a.record))
		var e *emu.Error
		if !errors.As(err, &e) || e.Thread != [3]int{thread, 0, 0} || !strings.Contains(e.Text, a.form) || !strings.Contains(e.Text, m.want) {
			return fmt.Errorf("at %d: %v, want thread %d, %q", m.at, err, thread, m.want)
		}
	}
	return nil
}
