package passes_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// shapes are what a program loads: parts that broadcast to 8x16, and a whole.
var shapes = [][2]int{{8, 1}, {8, 1}, {1, 16}, {1, 1}, {8, 16}}

// program is a random kernel over one element type: operations on broadcasts, in branches and loops, too.
type program struct {
	r    *rand.Rand
	elem tileir.Elem
	text strings.Builder
	vals []string // of 8x16
	n    int
}

func (p *program) line(format string, args ...any) string {
	p.n++
	v := fmt.Sprintf("%%v%d", p.n)
	p.text.WriteString("  " + v + " = " + fmt.Sprintf(format, args...) + "\n")
	return v
}

func (p *program) tile(shape [2]int) string {
	return fmt.Sprintf("tile<%dx%dx%v>", shape[0], shape[1], p.elem)
}

func (p *program) any() string { return p.vals[p.r.IntN(len(p.vals))] }

// constant is a tile of one number: powers of two, and what is none.
func (p *program) constant() string {
	whole := [2]int{8, 16}
	if p.elem.IsFloat() {
		numbers := []float64{1, 2, -0.5, 0.125, 4, -1024, 0x1p-14, 0x1p14, 3, 0.1, 0, math.Inf(1)}
		if p.elem == tileir.F32 || p.elem == tileir.BF16 {
			numbers = append(numbers, 0x1p126, 0x1p-126, -0x1p127, 0x1p-120)
		}
		bits := tileir.FloatBits(p.elem, numbers[p.r.IntN(len(numbers))])
		return p.line("constant <%v: 0x%0*X> : %s", p.elem, p.elem.Bits()/4, bits, p.tile(whole))
	}
	return p.line("constant <%v: %d> : %s", p.elem, p.r.IntN(9)-4, p.tile(whole))
}

var floatOps = []string{"addf", "subf", "mulf", "divf", "divf", "divf", "maxf", "minf", "negf", "absf", "fma", "select", "through"}
var intOps = []string{"addi", "subi", "muli", "andi", "ori", "xori", "maxi", "mini", "negi", "shli", "shri", "mulhii", "select", "through"}

// step appends an operation.
func (p *program) step() {
	whole := p.tile([2]int{8, 16})
	a, b := p.any(), p.any()
	if p.r.IntN(2) == 0 {
		b = p.constant()
	}
	sign := []string{"signed", "unsigned"}[p.r.IntN(2)]
	rounding := []string{"", "", " rounding<zero>", " rounding<negative_inf>", " rounding<positive_inf>"}[p.r.IntN(5)]
	flush := ""
	if p.elem == tileir.F32 && p.r.IntN(2) == 0 {
		flush = " flush_to_zero"
	}
	op := intOps[p.r.IntN(len(intOps))]
	if p.elem.IsFloat() {
		op = floatOps[p.r.IntN(len(floatOps))]
	}
	var v string
	switch op {
	case "addf", "subf", "mulf", "divf":
		v = p.line("%s %s, %s%s%s : %s", op, a, b, rounding, flush, whole)
	case "fma":
		v = p.line("fma %s, %s, %s%s%s : %s", a, b, p.any(), rounding, flush, whole)
	case "maxf", "minf":
		v = p.line("%s %s, %s%s%s : %s", op, a, b, flush, []string{"", " propagate_nan"}[p.r.IntN(2)], whole)
	case "negf", "absf", "negi":
		v = p.line("%s %s : %s", op, a, whole)
	case "select":
		mask := p.line("cmp%s %s, %s%s : %s -> tile<8x16xi1>", map[bool]string{true: "f less_than ordered", false: "i less_than"}[p.elem.IsFloat()], a, b, map[bool]string{true: "", false: ", " + sign}[p.elem.IsFloat()], whole)
		v = p.line("select %s, %s, %s : tile<8x16xi1>, %s", mask, p.any(), a, whole)
	case "through":
		v = p.through(a, whole, sign)
	case "maxi", "mini", "shri":
		v = p.line("%s %s, %s %s : %s", op, a, b, sign, whole)
	default:
		v = p.line("%s %s, %s : %s", op, a, b, whole)
	}
	p.vals = append(p.vals, v)
}

// through converts to another type and back.
func (p *program) through(a, whole, sign string) string {
	if !p.elem.IsFloat() {
		w := a
		if p.elem != tileir.I64 {
			w = p.line("exti %s %s : %s -> tile<8x16xi64>", a, sign, whole)
		}
		n := p.line("trunci %s : tile<8x16xi64> -> tile<8x16xi4>", w)
		return p.line("exti %s %s : tile<8x16xi4> -> %s", n, sign, whole)
	}
	others := []string{"f8E4M3FN", "f8E5M2", "f4E2M1FN", "tf32", "f16", "bf16", "f64", "f32"}
	o := others[p.r.IntN(len(others))]
	if o == p.elem.String() {
		return a
	}
	n := p.line("ftof %s : %s -> tile<8x16x%s>", a, whole, o)
	return p.line("ftof %s : tile<8x16x%s> -> %s", n, o, whole)
}

// kernel is the text of a program: what it computes of the tiles is stored, with what a branch and a loop give.
func (p *program) kernel() string {
	whole := p.tile([2]int{8, 16})
	fmt.Fprintf(&p.text, "entry @k(%%p: tile<ptr<%v>>, %%q: tile<ptr<%v>>) {\n  %%z = constant <i32: 0> : tile<i32>\n", p.elem, p.elem)
	for i, s := range shapes {
		view := fmt.Sprintf("tensor_view<%dx%dx%v, strides=[16,1]>", s[0], s[1], p.elem)
		part := fmt.Sprintf("partition_view<tile=(%dx%d), %s>", s[0], s[1], view)
		fmt.Fprintf(&p.text, "  %%t%d = make_tensor_view %%p, shape = [%d, %d], strides = [16, 1] : %s\n", i, s[0], s[1], view)
		fmt.Fprintf(&p.text, "  %%w%d = make_partition_view %%t%d : %s\n", i, i, part)
		fmt.Fprintf(&p.text, "  %%x%d, %%k%d = load_view_tko weak %%w%d[%%z, %%z] : %s, tile<i32> -> %s, token\n", i, i, i, part, p.tile(s))
		if s == [2]int{8, 16} {
			p.vals = append(p.vals, fmt.Sprintf("%%x%d", i))
		} else {
			p.vals = append(p.vals, p.line("broadcast %%x%d : %s -> %s", i, p.tile(s), whole))
		}
	}
	p.vals = p.vals[:4] // most programs see broadcasts alone
	if p.r.IntN(3) == 0 {
		p.vals = append(p.vals, "%x4")
	}
	for range 1 + p.r.IntN(8) {
		p.step()
	}
	outer := len(p.vals)
	first := p.any()
	p.text.WriteString("  %lo = constant <i32: 0> : tile<i32>\n  %hi = constant <i32: 2> : tile<i32>\n  %one = constant <i32: 1> : tile<i32>\n")
	fmt.Fprintf(&p.text, "  %%sum = for %%i in (%%lo to %%hi, step %%one) : tile<i32> iter_values(%%acc = %s) -> (%s) {\n", first, whole)
	p.vals = append(p.vals, "%acc")
	for range 1 + p.r.IntN(4) {
		p.step()
	}
	fmt.Fprintf(&p.text, "  continue %s : %s\n  }\n", p.vals[len(p.vals)-1], whole)
	p.vals = append(p.vals[:outer:outer], "%sum")
	for range p.r.IntN(3) {
		p.step()
	}
	fmt.Fprintf(&p.text, "  %%u = make_tensor_view %%q, shape = [8, 16], strides = [16, 1] : tensor_view<8x16x%v, strides=[16,1]>\n", p.elem)
	fmt.Fprintf(&p.text, "  %%s = make_partition_view %%u : partition_view<tile=(8x16), tensor_view<8x16x%v, strides=[16,1]>>\n", p.elem)
	fmt.Fprintf(&p.text, "  %%e = store_view_tko weak %s, %%s[%%z, %%z] : %s, partition_view<tile=(8x16), tensor_view<8x16x%v, strides=[16,1]>>, tile<i32> -> token\n  return\n}\n",
		p.vals[len(p.vals)-1], whole, p.elem)
	return p.text.String()
}

// run gives what a kernel stores.
func run(t *testing.T, d *cpu.Device, m *tileir.Module, in []byte) []byte {
	t.Helper()
	if err := tileir.Verify(m, tileir.V13_4); err != nil {
		t.Fatalf("%v in\n%s", err, irtext.Sprint(m))
	}
	k, err := d.Compile(t.Context(), m, "k")
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	x, err := d.Alloc(int64(len(in)))
	if err != nil {
		t.Fatal(err)
	}
	y, err := d.Alloc(int64(len(in)))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Free()
	defer y.Free()
	copy(x.Host(), in)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Launch(k, [3]uint32{1, 1, 1}, []uint64{x.Address(), y.Address()}); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(context.Background()); err != nil {
		t.Fatalf("%v in\n%s", err, irtext.Sprint(m))
	}
	return bytes.Clone(y.Host())
}

// bits are elements of a type: random ones, and each special one.
func bits(r *rand.Rand, e tileir.Elem) []byte {
	out := make([]byte, 8*16*e.Bits()/8)
	for i := 0; i < len(out); i += e.Bits() / 8 {
		v := r.Uint64()
		if specials := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -3e-45, 6e-8, 65504, 3e38, 1e-310, 1.5, 2.5}; e.IsFloat() && r.IntN(2) == 0 {
			v = tileir.FloatBits(e, specials[r.IntN(len(specials))])
		} else if r.IntN(2) == 0 {
			v = uint64(r.IntN(9) - 4)
		}
		for j := range e.Bits() / 8 {
			out[i+j] = byte(v >> (8 * j))
		}
	}
	return out
}

// TestProgramsComputeTheSame: random programs on tiles that are broadcast, with divisions by constants, in loops, too,
// give every bit with the passes that they give without.
func TestProgramsComputeTheSame(t *testing.T) {
	d := cpu.New(cpu.Options{Workers: 1, CheckAssumes: true})
	defer d.Close()
	changed := 0
	for _, e := range []tileir.Elem{tileir.F16, tileir.BF16, tileir.F32, tileir.F64, tileir.I8, tileir.I16, tileir.I32, tileir.I64} {
		for seed := range uint64(programs) {
			r := rand.New(rand.NewPCG(seed, uint64(e)))
			text := (&program{r: r, elem: e}).kernel()
			in := bits(r, e)
			parse := func() *tileir.Module {
				m, err := irtext.Parse(text, irtext.ParseOptions{})
				if err != nil {
					t.Fatalf("%v in\n%s", err, text)
				}
				return m
			}
			plain, improved := parse(), parse()
			before := irtext.Sprint(improved)
			if err := passes.Run(t.Context(), improved.Entries[0]); err != nil {
				t.Fatal(err)
			}
			if irtext.Sprint(improved) != before {
				changed++
			}
			want, got := run(t, d, plain, in), run(t, d, improved, in)
			if !bytes.Equal(got, want) {
				for i := 0; i < len(want); i += e.Bits() / 8 {
					if n := e.Bits() / 8; !bytes.Equal(got[i:i+n], want[i:i+n]) {
						t.Fatalf("%v, seed %d: element %d is %x, want %x, in\n%s\nafter passes\n%s", e, seed, i/n, got[i:i+n], want[i:i+n], text, irtext.Sprint(improved))
					}
				}
			}
		}
	}
	if changed < programs {
		t.Errorf("the passes changed %d programs alone", changed)
	}
}

const programs = 60
