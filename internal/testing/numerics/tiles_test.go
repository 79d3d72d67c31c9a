package numerics_test

import (
	"fmt"
	"math"

	"github.com/cutile-go/cutile/tileir"
)

// moderate gives a number near 1, so that sums and products of many stay in the range; now and then any bits.
func moderate(r *random, e tileir.Elem, rare int) uint64 {
	l, isFloat := layouts[e]
	switch {
	case !isFloat, e == tileir.F4E2M1FN, r.below(rare) == 0:
		return anyOf(r, e)
	}
	code := l.code(math.Ldexp(1, r.below(9)-4))
	return l.sign(code|r.next()&(1<<l.man-1), r.below(2) == 0)
}

func filled(n int, e tileir.Elem, f func(i int) uint64) *array {
	codes := make([]uint64, n)
	for i := range codes {
		codes[i] = f(i)
	}
	return newArray(e, codes)
}

// productCases gives matrix products two or three problems: edge values, all of them for small types, each with each;
// random matrices; and scales at the ends of their range.
func productCases(c *testCase) []*testCase {
	if c.in.Opcode != tileir.OpMmaFScaled {
		return []*testCase{productPairs(c, 1, 0), productRandom(c, 0)}
	}
	var out []*testCase
	for _, block := range []int{16, 32} {
		out = append(out, productPairs(c, 2*block, block), productRandom(c, block))
		if c.types[3] == tileir.F8E8M0FNU {
			out = append(out, productExtreme(c, block))
		}
	}
	return out
}

// problem makes a product of a shape; scales of blocks of elements along k, 0 for none.
func problem(c *testCase, note string, batch, m, n, k, block int, args ...*array) *testCase {
	p := *c
	p.note, p.args, p.shape = note, args, []int{batch, m, n, k}
	shape := func(x, y int) []int {
		if batch == 1 {
			return []int{x, y}
		}
		return []int{batch, x, y}
	}
	p.shapes = [][]int{shape(m, k), shape(k, n), shape(m, n)}
	if block > 0 {
		p.note = fmt.Sprintf("%s, blocks of %d", note, block)
		p.shapes = append(p.shapes, shape(m, k/block), shape(k/block, n))
	}
	p.shapes = append(p.shapes, shape(m, n))
	return &p
}

// productPairs multiplies each edge value with each: elements but the first along k are zero.
func productPairs(c *testCase, k, block int) *testCase {
	edges := edgesOf(c.types[0])
	n := len(edges)
	lhs := filled(n*k, c.types[0], func(i int) uint64 {
		if i%k == 0 {
			return edges[i/k]
		}
		return 0
	})
	rhs := filled(k*n, c.types[1], func(i int) uint64 {
		if i < n {
			return edges[i]
		}
		return 0
	})
	args := []*array{lhs, rhs, filled(n*n, c.types[2], func(int) uint64 { return 0 })}
	if block > 0 {
		unit := func(int) uint64 { return layouts[c.types[3]].code(1) }
		args = append(args, filled(n*k/block, c.types[3], unit), filled(k/block*n, c.types[4], unit))
	}
	return problem(c, "pairs", 1, n, n, k, block, args...)
}

func productRandom(c *testCase, block int) *testCase {
	const batch, m, n, k = 2, 16, 32, 64
	r := seeded("product/" + c.name())
	fill := func(n int, e tileir.Elem) *array {
		return filled(n, e, func(int) uint64 { return moderate(r, e, 300) })
	}
	args := []*array{fill(batch*m*k, c.types[0]), fill(batch*k*n, c.types[1]), fill(batch*m*n, c.types[2])}
	if block > 0 {
		scale := func(n int, e tileir.Elem) *array { // not negative, as the specification asks for
			return filled(n, e, func(int) uint64 { return layouts[e].magnitude(moderate(r, e, 200)) })
		}
		args = append(args, scale(batch*m*k/block, c.types[3]), scale(batch*k/block*n, c.types[4]))
	}
	return problem(c, "random", batch, m, n, k, block, args...)
}

// productExtreme has scales of which one is near the greatest and the other near the least.
func productExtreme(c *testCase, block int) *testCase {
	const m, n, k = 16, 32, 128
	r := seeded("extreme/" + c.name())
	fill := func(n int, e tileir.Elem) *array {
		return filled(n, e, func(int) uint64 { return moderate(r, e, 300) })
	}
	blocks := k / block
	scale := func(high bool) uint64 {
		if high {
			return uint64(255 - 1 - r.below(9))
		}
		return uint64(r.below(9))
	}
	lhs := filled(m*blocks, c.types[3], func(i int) uint64 { return scale(i%blocks%2 == 0) })
	rhs := filled(blocks*n, c.types[4], func(i int) uint64 { return scale(i/n%2 == 1) })
	return problem(c, "extreme", 1, m, n, k, block, fill(m*k, c.types[0]), fill(k*n, c.types[1]), fill(m*n, c.types[2]), lhs, rhs)
}

// foldingCases folds with each exact operation on two numbers of one type. Divisions of integers are not among them: a
// quotient of zero, as divisor, ends a kernel.
func foldingCases(c *testCase) []*testCase {
	var out []*testCase
	for _, op := range operations {
		in := tileir.Lookup(op.name)
		class := classesOf(in)
		if op.form != elementwise || op.ulps != nil || op.raw || op.name == "divi" || op.name == "remi" ||
			len(in.Operands) != 2 || class[1] != 0 || class[2] != 0 {
			continue
		}
		for _, attrs := range settings(in) {
			if !plainSetting(in, attrs) || slotsOf(in)[0].elems>>c.types[0]&1 == 0 {
				continue
			}
			e := c.types[0]
			body := &testCase{operation: op, in: in, types: []tileir.Elem{e, e}, result: e, attrs: attrs}
			if c.in.Opcode == tileir.OpScan {
				out = append(out, foldCase(c, body, 4, 64, 4, c.attrs[c.in.AttrIndex("reverse")] == tileir.Bool(true)))
			} else {
				out = append(out, foldCase(c, body, 4, 2048, 1, false), foldCase(c, body, 2, 128, 8, true))
			}
		}
	}
	return out
}

// plainSetting leaves out what other cases cover: rounding modes but the default, promises about overflow.
func plainSetting(in *tileir.Info, attrs []tileir.Attr) bool {
	for i, a := range in.Attrs {
		if (a.Name == "rounding_mode" || a.Name == "overflow") && attrs[i] != tileir.Int(0) {
			return false
		}
	}
	return true
}

// foldCase folds the middle one of three dimensions.
func foldCase(c, body *testCase, outer, n, inner int, turned bool) *testCase {
	f := *c
	f.body, f.turned, f.shape = body, turned, []int{outer, n, inner}
	f.attrs = append([]tileir.Attr(nil), c.attrs...)
	f.attrs[c.in.AttrIndex("dim")] = tileir.Int(1)
	f.attrs[c.in.AttrIndex("identities")] = tileir.Numbers{{Elem: c.types[0]}}
	f.shapes = [][]int{{outer, n, inner}, {outer, n, inner}}
	if c.in.Opcode == tileir.OpReduce {
		f.shapes[1] = []int{outer, inner}
	}
	e := c.types[0]
	f.args = cached(fmt.Sprint("fold/", e, f.shape), func(r *random) []*array {
		return []*array{filled(outer*n*inner, e, func(i int) uint64 { return foldElement(r, e, i/(n*inner)*inner+i%inner) })}
	})
	return &f
}

// foldElement gives each row its kind of numbers: near 1, zeros of both signs, moderate ones with few NaN, any bits.
func foldElement(r *random, e tileir.Elem, row int) uint64 {
	l, isFloat := layouts[e]
	if !isFloat {
		return anyOf(r, e)
	}
	switch row % 4 {
	case 0:
		return l.close(r, l.code(1))
	case 1:
		return l.sign(0, r.below(2) == 0)
	case 2:
		return moderate(r, e, 400)
	}
	return anyOf(r, e)
}
