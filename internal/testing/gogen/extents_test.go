package gogen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// extent is an expression of extents: a type parameter, a dimension, or a product or quotient of two others.
type extent struct {
	param int // of body, from 1
	n     int // a dimension
	word  string
	a, b  *extent
}

func dim(n int) *extent             { return &extent{n: n} }
func product(a, b *extent) *extent  { return &extent{word: "Product", a: a, b: b} }
func quotient(a, b *extent) *extent { return &extent{word: "Quotient", a: a, b: b} }

// text writes an expression; args stand for the type parameters where they are known.
func (e *extent) text(args []int) string {
	switch {
	case e.word != "":
		return fmt.Sprintf("tile.%s[%s, %s]", e.word, e.a.text(args), e.b.text(args))
	case e.param == 0:
		return fmt.Sprintf("tile.D%d", e.n)
	case args == nil:
		return "ABC"[e.param-1 : e.param]
	}
	return fmt.Sprintf("tile.D%d", args[e.param-1])
}

// value is the number, or what a message says of one that there is not.
func (e *extent) value(args []int) (n int, wrong string) {
	switch {
	case e.param > 0:
		return args[e.param-1], ""
	case e.word == "":
		return e.n, ""
	}
	a, wrong := e.a.value(args)
	if wrong != "" {
		return 0, wrong
	}
	b, wrong := e.b.value(args)
	switch {
	case wrong != "":
		return 0, wrong
	case e.word == "Quotient" && a%b != 0:
		return 0, fmt.Sprintf("%s is %d/%d, which is not a whole number", e.text(args), a, b)
	case e.word == "Quotient":
		return a / b, ""
	case a*b > 65536:
		return 0, fmt.Sprintf("%s is %d·%d = %d, but an extent is at most 65536", e.text(args), a, b, a*b)
	}
	return a * b, ""
}

// shaped is a tile: a variable of the kernel, and what it holds.
type shaped struct {
	name string
	dims []*extent
	data []int32
}

// extentProgram is a kernel that gives a tile other shapes whose extents follow from those of its parameters; wrong is the mistake
// that it has.
type extentProgram struct {
	seed  uint64
	args  []int
	lines []string
	x, y  shaped
	wrong string
}

// extentGen writes one.
type extentGen struct {
	*rand.Rand
	p    *extentProgram
	vars []shaped
}

// most is how many elements a tile has.
const most = 2048

func generateExtents(seed uint64) *extentProgram {
	g := &extentGen{Rand: rand.New(rand.NewPCG(seed, 78)), p: &extentProgram{seed: seed}}
	for range 3 {
		g.p.args = append(g.p.args, 1<<g.IntN(4))
	}
	var dims []*extent
	for range 1 + g.IntN(3) {
		dims = append(dims, g.known(2))
	}
	x := shaped{name: "v0", dims: dims}
	for i := range elements(g.shape(dims)) {
		x.data = append(x.data, int32(i*i+1))
	}
	g.p.x, g.vars = x, []shaped{x}
	for range 3 + g.IntN(9) {
		g.step(g.vars[len(g.vars)-1])
	}
	g.p.y = g.vars[len(g.vars)-1]
	if g.IntN(4) == 0 {
		g.mistake()
	}
	return g.p
}

func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func (g *extentGen) shape(dims []*extent) (out []int) {
	for _, d := range dims {
		n, wrong := d.value(g.p.args)
		if wrong != "" {
			panic("a wrong extent: " + wrong)
		}
		out = append(out, n)
	}
	return out
}

// any is an expression that may be wrong.
func (g *extentGen) any(depth int) *extent {
	switch k := g.IntN(4); {
	case depth > 0 && k == 0:
		return product(g.any(depth-1), g.any(depth-1))
	case depth > 0 && k == 1:
		return quotient(g.any(depth-1), g.any(depth-1))
	case k == 2:
		return dim(1 << g.IntN(4))
	}
	return &extent{param: 1 + g.IntN(3)}
}

// known is a small one that is right.
func (g *extentGen) known(depth int) *extent {
	for {
		e := g.any(depth)
		if n, wrong := e.value(g.p.args); wrong == "" && n <= 16 {
			return e
		}
	}
}

func typeText(dims []*extent, args []int) string {
	var list []string
	for _, d := range dims {
		list = append(list, d.text(args))
	}
	return fmt.Sprintf("tile.I32T%d[%s]", len(dims), strings.Join(list, ", "))
}

// add makes a variable; %T in the text is its type.
func (g *extentGen) add(text string, dims []*extent, data []int32) {
	name := fmt.Sprintf("v%d", len(g.vars))
	g.p.lines = append(g.p.lines, fmt.Sprintf("%s := %s\n\t_ = %s", name, strings.ReplaceAll(text, "%T", typeText(dims, nil)), name))
	g.vars = append(g.vars, shaped{name, dims, data})
}

// mistake adds a line with an extent that there is not.
func (g *extentGen) mistake() {
	for {
		e := g.any(3)
		_, wrong := e.value(g.p.args)
		if wrong == "" {
			continue
		}
		g.p.wrong = wrong
		texts := []string{"var w tile.I32T1[%s]\n\t_ = w", "w := tile.Iota[%s]()\n\t_ = w", "w := tile.Extent[%s]()\n\t_ = w", "w := tile.I32T2[tile.D1, %s](3)\n\t_ = w",
			"w := firsts(tile.I32T1[tile.D16](2), tile.Shape[tile.I32T1[%s]]{})\n\t_ = w"}
		g.p.lines = append(g.p.lines, fmt.Sprintf(texts[g.IntN(len(texts))], e.text(nil)))
		return
	}
}

// step makes a variable of another one.
func (g *extentGen) step(v shaped) {
	axis := g.IntN(len(v.dims))
	switch g.IntN(12) {
	case 0, 1:
		g.merge(v)
	case 2, 3:
		g.split(v, axis)
	case 4:
		g.half(v, axis)
	case 5:
		g.double(v, axis)
	case 6:
		g.turn(v)
	case 7:
		g.sum(v, axis)
	case 8:
		g.spread(v)
	case 9:
		g.respell(v, axis)
	case 10:
		e := g.known(2)
		n, _ := e.value(g.p.args)
		g.add(fmt.Sprintf("%s*3 + %%T(tile.I32(tile.Extent[%s]()))", v.name, e.text(nil)), v.dims, each(v, func(x int32) int32 { return 3*x + int32(n) }))
	case 11:
		g.combine(v)
	}
}

func each(v shaped, f func(int32) int32) (out []int32) {
	for _, x := range v.data {
		out = append(out, f(x))
	}
	return out
}

// with replaces some dimensions from one on.
func with(dims []*extent, at, n int, by ...*extent) []*extent {
	return slices.Concat(dims[:at], by, dims[at+n:])
}
