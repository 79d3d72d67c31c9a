package cpu

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// loopCase is a loop and the way in which the engine calls it.
type loopCase struct {
	name  string
	run   kernel
	sizes [4]int // bytes of an element of the result and of the operands
	args  int    // operands that the loop works on; others are the first one again
	one   int    // the operand of which one element stands for all, 0 for none
	bare  bool   // other operands are nil, as conversions have it
}

// loopCases lists the loops, and the package's variables and makers of loops that they come from.
type loopCases struct {
	cases []loopCase
	from  map[string]bool
}

func (l *loopCases) add(c loopCase) { l.cases = append(l.cases, c) }

// table adds the loops of a table, in an order that does not change.
func (l *loopCases) table(name string, size int, t kernels) {
	for _, k := range slices.SortedFunc(maps.Keys(t), func(a, b key) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		c := loopCase{name: fmt.Sprint(name, k), run: t[k], sizes: [4]int{size, size, size, size}, args: len(tileir.LookupOpcode(k.op).Operands)}
		if k.op == tileir.OpCmpI || k.op == tileir.OpCmpF {
			c.sizes[0] = 1
		}
		l.add(c)
	}
}

// conversion adds a loop from elements of one size to those of another; nil is a conversion that there is none of.
func (l *loopCases) conversion(name string, run kernel, to, from int) {
	if run != nil {
		l.add(loopCase{name: name, run: run, sizes: [4]int{to, from}, args: 1, bare: true})
	}
}

// splat adds the loops of one operation whose first or second operand is one element.
func (l *loopCases) splat(name string, size int, t map[key]splatLoops) {
	for k, s := range t {
		sizes := [4]int{size, size, size, size}
		l.add(loopCase{name: fmt.Sprint(name, k, " first"), run: s.first, sizes: sizes, args: 2, one: 1})
		l.add(loopCase{name: fmt.Sprint(name, k, " second"), run: s.second, sizes: sizes, args: 2, one: 2})
	}
}

// elements are all element types, and modes all rounding modes that conversions and tables know.
var elements = []tileir.Elem{tileir.I1, tileir.I8, tileir.I16, tileir.I32, tileir.I64, tileir.F16, tileir.BF16, tileir.F32,
	tileir.TF32, tileir.F64, tileir.F8E4M3FN, tileir.F8E5M2, tileir.F8E8M0FNU, tileir.F4E2M1FN, tileir.I4, tileir.FNV8E5M3FNU}

var modes = []rounding{tileir.RoundingNearestEven, tileir.RoundingZero, tileir.RoundingNegativeInf, tileir.RoundingPositiveInf, tileir.RoundingNearestAway}

// everyLoop walks all tables, and all that the makers of conversions make.
func everyLoop(t *testing.T) *loopCases {
	l := &loopCases{from: map[string]bool{}}
	walk := func(name string, f func()) {
		before := len(l.cases)
		if f(); len(l.cases) == before {
			t.Errorf("%s has no loops", name)
		}
		l.from[name] = true
	}
	walk("integers", func() {
		for size, t := range integers {
			l.table(fmt.Sprint("integers of ", size, " bytes "), size, t)
		}
	})
	walk("floats32", func() { l.table("floats32 ", 4, floats32) })
	walk("floats64", func() { l.table("floats64 ", 8, floats64) })
	walk("foldLoops", func() { l.table("foldLoops ", 4, foldLoops) })
	walk("selects", func() {
		for size, run := range selects {
			l.add(loopCase{name: fmt.Sprint("select of ", size), run: run, sizes: [4]int{size, 1, size, size}, args: 3})
		}
	})
	walk("splatFloats32", func() { l.splat("splatFloats32 ", 4, splatFloats32) })
	walk("splatFloats64", func() { l.splat("splatFloats64 ", 8, splatFloats64) })
	walk("splatIntegers", func() {
		for size, t := range splatIntegers {
			l.splat(fmt.Sprint("splatIntegers of ", size, " "), size, t)
		}
	})
	everyConversion(l, walk)
	return l
}

// everyConversion walks what changes the type of elements.
func everyConversion(l *loopCases, walk func(name string, f func())) {
	each := func(name string, t map[tileir.Elem]kernel, to int) {
		walk(name, func() {
			for e, run := range t {
				l.conversion(fmt.Sprint(name, " ", e), run, to, e.Bytes())
			}
		})
	}
	each("widening", widening, 4)
	each("toFloat64", toFloat64, 8)
	pairs := func(name string, t map[tileir.Elem][2]kernel, sizes func(e tileir.Elem) (to, from int)) {
		walk(name, func() {
			for e, by := range t {
				to, from := sizes(e)
				for s, run := range by {
					l.conversion(fmt.Sprint(name, " ", e, " ", s), run, to, from)
				}
			}
		})
	}
	pairs("saturations", saturations, func(e tileir.Elem) (to, from int) { return e.Bytes(), 8 })
	pairs("toFloat", toFloat, func(e tileir.Elem) (to, from int) { return 8, e.Bytes() })
	pairs("bitExtensions", bitExtensions, func(tileir.Elem) (to, from int) { return 1, 1 })
	walk("nonzero", func() { l.conversion("nonzero", nonzero, 1, 8) })
	walk("exact64", func() {
		for s, run := range exact64 {
			l.conversion(fmt.Sprint("exact64 ", s), run, 8, 8)
		}
	})
	walk("intConversions", func() {
		for p, run := range intConversions {
			l.conversion(fmt.Sprint("intConversions ", p), run, p.to, p.from)
		}
	})
	walk("nearestSmall", func() {
		for e, f := range smallFloats {
			l.conversion(fmt.Sprint("nearestSmall ", e), nearestSmall(f), e.Bytes(), 4)
		}
	})
	walk("smallNarrowing", func() {
		for e, f := range smallFloats {
			l.conversion(fmt.Sprint("smallNarrowing ", e), smallNarrowing(f, tileir.RoundingPositiveInf), e.Bytes(), 4)
		}
	})
	walk("narrowing", func() {
		for _, e := range elements {
			for _, m := range modes {
				l.conversion(fmt.Sprint("narrowing ", e, " ", m), narrowing(e, m), e.Bytes(), 4)
			}
		}
	})
	walk("fromFloat64", func() {
		for _, e := range elements {
			for _, m := range modes {
				l.conversion(fmt.Sprint("fromFloat64 ", e, " ", m), fromFloat64(e, m), e.Bytes(), 8)
			}
		}
	})
	walk("extension", func() {
		for _, e := range []tileir.Elem{tileir.I1, tileir.I4, tileir.I8, tileir.I16, tileir.I32} {
			for _, to := range []tileir.Elem{tileir.I8, tileir.I16, tileir.I32, tileir.I64} {
				for _, signed := range []bool{false, true} {
					l.conversion(fmt.Sprint("extension ", e, " ", to, " ", signed), extension(e, to, signed), to.Bytes(), e.Bytes())
				}
			}
		}
	})
	powers := func(name string, run kernel, size int) {
		walk(name, func() { l.add(loopCase{name: name, run: run, sizes: [4]int{4, 4, size}, args: 2}) })
	}
	powers("powers32", powers32, 4)
	powers("powers64", powers64, 8)
	l.conversion("flush32", unary(flush32), 4, 4)
	l.conversion("lowBit", unary(lowBit), 1, 1)
	l.add(loopCase{name: "offsetHalves", run: binary(offsetHalves), sizes: [4]int{8, 8, 8}, args: 2})
}

// forms are the functions that only give typed loops the form of a kernel, or make entries of the tables.
var forms = []string{"unary", "binary", "ternary", "swapped", "selection", "shifting", "through", "through2", "withFirst", "withSecond",
	"foldMax", "foldMin", "rounded32", "rounded64", "saturate", "withInts"}

// TestTablesOfLoopsAreWalked reads the package's own source: a variable that holds loops, or a function that makes them,
// and that the tests of loops do not know, is a hole in them.
func TestTablesOfLoopsAreWalked(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset, files := token.NewFileSet(), []*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// What other packages have is unknown here, and no loop: the errors that follow from that do not matter.
	c := types.Config{Error: func(error) {}}
	pkg, _ := c.Check("cpu", fset, files, nil)
	form := pkg.Scope().Lookup("kernel")
	if form == nil {
		t.Fatalf("%d files do not declare the type of loops", len(files))
	}
	loop := form.Type()
	known, found := everyLoop(t).from, 0
	for _, name := range pkg.Scope().Names() {
		switch o := pkg.Scope().Lookup(name).(type) {
		case *types.Var:
			if !holds(o.Type(), loop, 8) {
				continue
			}
		case *types.Func:
			r := o.Signature().Results()
			if r.Len() != 1 || !types.Identical(r.At(0).Type(), loop) || slices.Contains(forms, name) {
				continue
			}
		default:
			continue
		}
		if found++; !known[name] {
			t.Errorf("%s has or makes loops that TestLoopsStayInside does not call", name)
		}
	}
	if found != len(known) {
		t.Errorf("%d variables and makers of loops in the source, %d in the test", found, len(known))
	}
}

// holds reports whether values of a type have loops in them, at most so deep.
func holds(t, loop types.Type, depth int) bool {
	if depth == 0 || types.Identical(t, loop) {
		return depth > 0
	}
	switch u := t.Underlying().(type) {
	case interface{ Elem() types.Type }: // of maps, slices, arrays and pointers
		return holds(u.Elem(), loop, depth-1)
	case *types.Struct:
		for f := range u.Fields() {
			if holds(f.Type(), loop, depth-1) {
				return true
			}
		}
	}
	return false
}
