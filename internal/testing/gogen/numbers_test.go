package gogen_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/testing/gogen"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/tileir"
)

// elem is an element type of tiles: what a value becomes when it is one.
type elem struct {
	name     string
	bits     int // of an integer, or significant ones of a float
	signed   bool
	float    bool
	low, max float64 // of a float: the least normal number, the greatest number
}

var elems = []elem{
	{"F16", 11, true, true, 0x1p-14, 65504}, {"BF16", 8, true, true, 0x1p-126, 0x1.fep127}, {"F32", 24, true, true, 0x1p-126, math.MaxFloat32}, {"F64", 53, true, true, 0x1p-1022, math.MaxFloat64},
	{name: "I8", bits: 8, signed: true}, {name: "I16", bits: 16, signed: true}, {name: "I32", bits: 32, signed: true}, {name: "U8", bits: 8}, {name: "U16", bits: 16}, {name: "U32", bits: 32},
}

// round is the nearest number of the type, ties to even; an integer must fit 53 bits.
func (e elem) round(x float64) float64 {
	switch {
	case x == 0 || x != x || math.IsInf(x, 0):
		return x
	case e.bits == 53:
		return x
	}
	_, exp := math.Frexp(math.Max(math.Abs(x), e.low))
	unit := math.Ldexp(1, exp-e.bits)
	if x = math.RoundToEven(x/unit) * unit; math.Abs(x) > e.max {
		return math.Inf(int(math.Copysign(1, x)))
	}
	return x
}

// wrap keeps the low bits of a whole number.
func (e elem) wrap(x float64) float64 {
	n := math.Ldexp(1, e.bits)
	if x = math.Mod(x, n); x < 0 {
		x += n
	}
	if e.signed && x >= n/2 {
		x -= n
	}
	return x + 0
}

// from is a value of another type as one of this: integers wrap, floats saturate.
func (e elem) from(o elem, x float64) float64 {
	switch {
	case e.float:
		return e.round(x)
	case !o.float:
		return e.wrap(x)
	case x != x:
		return 0
	}
	low, high := 0.0, math.Ldexp(1, e.bits)-1
	if e.signed {
		low, high = -math.Ldexp(1, e.bits-1), math.Ldexp(1, e.bits-1)-1
	}
	return math.Trunc(max(low, min(high, x))) + 0 // integers have no negative zero
}

// chain is a kernel over scalars of the element types, each step of which rounds, or wraps; x is a number of the launch.
type chain struct {
	seed uint64
	body string
	last string // the variable that is the result
	x    float32
	want float64
}

// value is a variable of a chain.
type value struct {
	name string
	e    elem
	v    float64

	literal float64 // of a constant
}

func generateChain(seed uint64) *chain {
	g := chainGen{rand.New(rand.NewPCG(seed, 99))}
	c := &chain{seed: seed, x: []float32{0, 0.1, 1, -2.5, 448.1, 16777216, 3e38, -1e10, 65519, 2049, 1e-8}[g.IntN(11)]}
	vars := []value{{"tile.F32(x)", elems[2], float64(c.x), 0}}
	if g.IntN(2) == 0 {
		vars = nil // all is known
	}
	for i := range 3 + g.IntN(7) {
		v := g.value(vars)
		v.name, c.body = fmt.Sprintf("v%d", i), c.body+fmt.Sprintf("\tv%d := %s\n", i, v.name)
		vars = append(vars, v)
	}
	last := vars[len(vars)-1]
	for _, v := range vars[:len(vars)-1] {
		if strings.HasPrefix(v.name, "v") {
			c.body += fmt.Sprintf("\t_ = %s\n", v.name)
		}
	}
	c.last, c.want = last.name, last.v
	return c
}

type chainGen struct{ *rand.Rand }

var chainConstants = []float64{0, 1, -1, 0.1, 1.5, 3, 7, 10, 100, 127, 128, 255, 256, 300, 2048, 2049, 4097, 65504, 65519, 65520, 65536, 16777216, 16777217, 1e-8, 1.0 / 3}

// constant is one that the type can hold, perhaps after rounding: a literal, or a sum of two whose result it holds, too.
func (g chainGen) constant(e elem) value {
	x := g.literal(e)
	if g.IntN(3) > 0 {
		return x
	}
	y := g.literal(e)
	op, r, exact := "+", x.v+y.v, x.literal+y.literal
	if g.IntN(2) == 0 {
		op, r, exact = "-", x.v-y.v, x.literal-y.literal
	}
	if e.float && math.Abs(e.round(r)) > e.max || !e.float && e.wrap(r) != r {
		return x
	}
	return value{fmt.Sprintf("(%s %s %s)", x.name, op, y.name), e, e.result(r), exact}
}

func (g chainGen) literal(e elem) value {
	for {
		k := chainConstants[g.IntN(len(chainConstants))]
		if e.float && e.round(k) <= e.max || k == math.Trunc(k) && e.wrap(k) == k {
			return value{fmt.Sprintf("tile.%s(%v)", e.name, k), e, e.from(elems[3], k), k}
		}
	}
}

// value is a constant, a conversion, or an operation of two values of one type.
func (g chainGen) value(vars []value) value {
	if len(vars) == 0 || g.IntN(5) == 0 {
		v := g.constant(elems[g.IntN(len(elems))])
		// At once into another type, where Go takes the conversion of a constant.
		if w := g.convert(v); g.IntN(2) == 0 && (w.e.float || v.literal == w.v && v.v == w.v) {
			return w
		}
		return v
	}
	x := vars[max(g.IntN(len(vars)), g.IntN(len(vars)))]
	switch g.IntN(8) {
	case 0, 1, 2:
		return g.convert(x)
	case 3:
		return value{"-" + x.name, x.e, x.e.result(-x.v), 0}
	}
	y := g.constant(x.e)
	for _, v := range vars {
		if v.e == x.e && g.IntN(2) == 0 {
			y = v
		}
	}
	op := []string{"+", "-", "*", "/"}[g.IntN(4)]
	if op == "/" && (!x.e.float || x.e.bits == 53) {
		op = "+"
	}
	var r float64
	switch op {
	case "+":
		r = x.v + y.v
	case "-":
		r = x.v - y.v
	case "*":
		r = x.v * y.v
	default:
		r = x.v / y.v
	}
	if !x.e.float && math.Abs(r) > 1<<53 { // the reference computes in 53 bits
		return x
	}
	return value{fmt.Sprintf("%s %s %s", x.name, op, y.name), x.e, x.e.result(r), 0}
}

// result is what a computation in float64, which is exact or near enough, is in the type.
func (e elem) result(x float64) float64 {
	if e.float {
		return e.round(x)
	}
	return e.wrap(x)
}

func (g chainGen) convert(v value) value {
	to := elems[g.IntN(len(elems))]
	return value{fmt.Sprintf("tile.%s(%s)", to.name, v.name), to, to.from(v.e, v.v), v.literal}
}

func (c *chain) text(n int) string {
	return fmt.Sprintf("func chain%d(x float32, out tile.InOut[tile.F64T1[tile.D1]]) {\n%s\tout.Store(tile.F64T1[tile.D1](tile.F64(%s)), 0)\n}\n", n, c.body, c.last)
}

// compareChains compares chains with the reference, before and after the passes.
func compareChains(first uint64, n int, out *report) error {
	r, err := newTileRunner()
	if err != nil {
		return err
	}
	defer r.close()
	path := fmt.Sprintf("gogen/chains/m%d", packages.Add(1))
	text := "package chains\n\nimport \"github.com/cutile-go/cutile/tile\"\n\n"
	var roots []world.Symbol
	var all []*chain
	for i := range n {
		all = append(all, generateChain(first+uint64(i)))
		text += all[i].text(i)
		roots = append(roots, world.Symbol{Path: path, Name: fmt.Sprintf("chain%d", i)})
	}
	langsrc.Register(&langsrc.Source{Path: path, Dir: path, FS: []fs.FS{fstest.MapFS{"c.go": {Data: []byte(text)}}}})
	w, err := describe.Language.Load(roots)
	if err != nil {
		return err
	}
	for i, c := range all {
		out.Programs++
		out.Kernels++
		v := guarded(func() verdict { return c.judge(r, w, path, i) })
		switch {
		case v.refused != "":
			out.Refused++
			out.refuse(v.refused, 1)
		case v.finding != "":
			out.Findings = append(out.Findings, fmt.Sprintf("numbers, seed %d: %s, x = %v\n%s", c.seed, v.finding, c.x, c.text(0)))
		}
	}
	return compareInCute(all, out)
}

// cuteNames are the element types in package cute.
var cuteNames = strings.NewReplacer("tile.F16(", "cute.Float16(", "tile.BF16(", "cute.BFloat16(", "tile.F32(", "float32(", "tile.F64(", "float64(",
	"tile.I8(", "int8(", "tile.I16(", "int16(", "tile.I32(", "int32(", "tile.U8(", "uint8(", "tile.U16(", "uint16(", "tile.U32(", "uint32(")

// program is the chain as a function of package cute.
func (c *chain) program() *gogen.Program {
	p := &gogen.Program{Seed: c.seed, Params: []string{"int", "float32"}, Results: []string{"float64"}}
	for range tuples {
		p.Tuples = append(p.Tuples, []uint64{uint64(math.Float32bits(c.x))})
	}
	p.Source = fmt.Sprintf("func entryZq(lane int, x float32) float64 {\n%s\treturn float64(%s)\n}\n", cuteNames.Replace(c.body), c.last)
	return p
}

// compareInCute compares the chains in package cute with the reference.
func compareInCute(all []*chain, out *report) error {
	var units []unit
	var want []results
	for i, c := range all {
		units = append(units, unit{i, c.program()})
		same := make(results, rows)
		for row := range same {
			same[row] = []uint64{canonical("float64", math.Float64bits(c.want))}
		}
		want = append(want, same)
	}
	r := &report{}
	if err := judge("cute", "", units, want, r); err != nil {
		return err
	}
	for _, f := range r.found {
		r.Findings = append(r.Findings, fmt.Sprintf("numbers, seed %d, cute, %s: %s\n%s", f.unit.p.Seed, f.caller, f.what, f.unit.p.Text(f.unit.n)))
	}
	r.found = nil
	out.add(r)
	return nil
}

func (c *chain) judge(r *tileRunner, w *world.World, path string, n int) verdict {
	w.Lock()
	defer w.Unlock()
	fn, err := function(w, path, fmt.Sprintf("chain%d", n))
	if err != nil {
		return refusal(err)
	}
	out, err := lower.Kernel(&lower.Input{World: describe.Of(w), Kernel: fn, Args: []lower.Arg{{}, {ExtentDiv: []int64{0}, StrideDiv: []int64{0}, Unit: []bool{true}}}})
	if err != nil {
		return refusal(err)
	}
	return beforeAndAfter(out, func(m *tileir.Module) string {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		k, err := r.dev.Compile(ctx, m, m.Entries[0].Name)
		if err != nil {
			return err.Error()
		}
		defer k.Close()
		if err := r.stream.Launch(k, [3]uint32{1, 1, 1}, []uint64{uint64(math.Float32bits(c.x)), r.out[0].Address(), 1, 1}); err != nil {
			return err.Error()
		}
		if err := r.stream.Wait(ctx); err != nil {
			return err.Error()
		}
		got := binary.LittleEndian.Uint64(r.out[0].Host())
		if canonical("float64", got) != canonical("float64", math.Float64bits(c.want)) {
			return fmt.Sprintf("result is %v, want %v", math.Float64frombits(got), c.want)
		}
		return ""
	})
}

// TestNumbers judges chains of conversions and operations on numbers of the element types.
func TestNumbers(t *testing.T) {
	r := &report{}
	if err := compareChains(*seed, 400, r); err != nil {
		t.Fatal(err)
	}
	r.check(t)
}
