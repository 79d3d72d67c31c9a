package gogen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// mark stands in the text of a program for what tells its top-level names from those of others.
const mark = "Zq"

// Lanes is how many values the first parameter of an entry takes: 0 to Lanes-1.
const Lanes = 8

// Program is a function of numbers, with the declarations that it needs.
type Program struct {
	Seed    uint64
	Params  []string   // types of the entry's parameters; the first is the lane, an int
	Results []string   // types of its results
	Tuples  [][]uint64 // arguments but for the lane, as bits
	Source  string     // declarations of Go, whose names end in Zq
}

// Text is the program's declarations, whose names end in n.
func (p *Program) Text(n int) string {
	return strings.ReplaceAll(p.Source, mark, fmt.Sprintf("_%d", n))
}

// Entry is the name of its function.
func Entry(n int) string { return fmt.Sprintf("entry_%d", n) }

// tuples is how many sets of arguments a program has.
const tuples = 4

type variable struct {
	name  string
	t     *typ
	fixed bool // may be read only: variables of loops
	used  bool
}

// feature is something that a program may have or not: those with fewer kinds of statement go deeper into each.
type feature int

const (
	floats feature = iota
	structs
	arrays
	slices_
	pointers
	closures
	loops
	switches
	generics
	calls
	shifts
	division
	labels
	saturating
	features
)

type generator struct {
	*rand.Rand
	on     [features]bool
	ints   []*typ // number types that this program likes
	decls  []string
	consts []constant
	types  []*typ // structs
	funcs  []*function
	scope  []*variable
	names  int
	nest   int  // blocks around
	always bool // what is written now runs exactly once
	loops  []*loop
	result []*typ // of the function being written
	b      *strings.Builder
	indent int
	budget int
}

type constant struct {
	name string
	t    *typ // nil for an untyped one
	text string
}

type function struct {
	name    string
	params  []*typ
	results []*typ
	recv    *typ // of a method
	ptr     bool
}

type loop struct {
	label string
	used  bool
	sw    bool // a switch: no continue
}

// Generate writes the program of a seed.
func Generate(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), b: &strings.Builder{}, budget: 10}
	for f := range g.on {
		g.on[f] = g.IntN(5) < 3
	}
	for range 1 + g.IntN(4) {
		g.ints = append(g.ints, integers[g.IntN(len(integers))])
	}
	if g.IntN(2) == 0 {
		g.ints = append(g.ints, basic("int"))
	}
	g.budget += g.IntN(16)
	g.declare()
	p := &Program{Seed: seed, Params: []string{"int"}}
	params := []*typ{basic("int")}
	for range 1 + g.IntN(4) {
		t := g.number().predeclared()
		if g.IntN(12) == 0 {
			t = boolean
		}
		params = append(params, t)
		p.Params = append(p.Params, t.name)
	}
	for range 1 + g.IntN(3) {
		t := g.number().predeclared()
		g.result = append(g.result, t)
		p.Results = append(p.Results, t.name)
	}
	for range tuples {
		var tuple []uint64
		for _, t := range params[1:] {
			tuple = append(tuple, g.argument(t))
		}
		p.Tuples = append(p.Tuples, tuple)
	}
	g.function(&function{name: "entry" + mark, params: params, results: g.result})
	p.Source = strings.Join(g.decls, "\n\n") + "\n"
	return p
}

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// number chooses a type of numbers.
func (g *generator) number() *typ {
	if g.on[floats] && g.IntN(3) == 0 {
		return floatTypes[g.IntN(2)]
	}
	if g.IntN(8) == 0 {
		return integers[g.IntN(len(integers))]
	}
	return g.ints[g.IntN(len(g.ints))]
}

// argument gives the bits of a value, often one at a border.
func (g *generator) argument(t *typ) uint64 {
	switch {
	case t == boolean:
		return g.Uint64N(2)
	case t.float:
		f := g.floatValue(t)
		if t.bits == 32 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	}
	k := g.intValue(t)
	return k & t.mask()
}

// intValue is the bits of an integer: small, at a border of some type, or any.
func (g *generator) intValue(t *typ) uint64 {
	switch g.IntN(8) {
	case 0, 1, 2:
		return g.Uint64N(12)
	case 3:
		return -g.Uint64N(12)
	case 4, 5:
		at := slices.Concat([]int{t.bits, t.bits - 1, t.bits / 2}, []int{7, 8, 15, 16, 24, 31, 32, 33, 53, 63})[g.IntN(13)]
		return 1<<at + g.Uint64N(5) - 2
	}
	return g.Uint64() >> g.IntN(60)
}

var floatBorders = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 0.1, 1.0 / 3, 16777216, 16777217, 33554433, 2147483648, -2147483648, 4294967296,
	9007199254740993, 9223372036854775808, 18446744073709551615, 127.5, 128, 255.9, -128.9, 448.1, 32767.5, 65504, 65536, 1e-45, 1.1754943e-38, 3e38, -3e38,
	3.4028234e38, 1e300, 5e-324, 1e-310}

func (g *generator) floatValue(t *typ) float64 {
	switch g.IntN(6) {
	case 0, 1:
		return float64(g.IntN(41)-20) / 4
	case 2, 3:
		f := floatBorders[g.IntN(len(floatBorders))]
		if t.bits == 32 && math.Abs(f) > math.MaxFloat32 {
			return math.MaxFloat32
		}
		return f
	case 4:
		return (g.Float64() - 0.5) * math.Exp2(float64(g.IntN(64)))
	}
	return float64(int64(g.Uint64())) / 3
}
