package gogen_test

import (
	"fmt"
	"slices"
)

// extentHelpers are functions whose type arguments Go infers from products, or whose results have extents that follow.
const extentHelpers = `
func merged[A, B tile.Dim](x tile.I32T2[A, B]) tile.I32T1[tile.Product[A, B]] { return tile.Reshape[tile.I32T1[tile.Product[A, B]]](x) }

func cut[A, B tile.Dim](x tile.I32T1[tile.Product[A, B]]) tile.I32T2[A, B] { return tile.Reshape[tile.I32T2[A, B]](x) }

func low[A, B tile.Dim](x tile.I32T2[A, B]) tile.I32T2[A, tile.Quotient[B, tile.D2]] {
	return tile.Extract[tile.I32T2[A, tile.Quotient[B, tile.D2]]](x, 0, 0)
}

func firsts[T tile.Tile](x tile.I32T1[tile.D16], shape tile.Shape[T]) T { return tile.Extract[T](x, 0) }
`

// merge puts two axes into one.
func (g *extentGen) merge(v shaped) {
	if len(v.dims) == 1 {
		return
	}
	i := g.IntN(len(v.dims) - 1)
	a, b := v.dims[i], v.dims[i+1]
	if len(v.dims) == 2 && g.IntN(2) == 0 {
		g.add(fmt.Sprintf("merged(%s)", v.name), []*extent{product(a, b)}, v.data)
		return
	}
	if g.IntN(2) == 0 {
		a, b = b, a // the same number
	}
	g.add(fmt.Sprintf("tile.Reshape[%%T](%s)", v.name), with(v.dims, i, 2, product(a, b)), v.data)
}

// split makes two axes of one.
func (g *extentGen) split(v shaped, axis int) {
	if len(v.dims) == 4 {
		return
	}
	d := v.dims[axis]
	if len(v.dims) == 1 && d.word == "Product" && g.IntN(2) == 0 {
		g.add(fmt.Sprintf("cut(%s)", v.name), []*extent{d.a, d.b}, v.data)
		return
	}
	by := g.known(1)
	rest := quotient(d, by)
	if _, wrong := rest.value(g.p.args); wrong != "" {
		return
	}
	if g.IntN(2) == 0 {
		by, rest = rest, by
	}
	g.add(fmt.Sprintf("tile.Reshape[%%T](%s)", v.name), with(v.dims, axis, 1, by, rest), v.data)
}

// part copies elements between a tile and a part of it, the one that is at index along an axis.
func part(shape []int, axis, n, index int, copy func(whole, part int)) {
	inner := elements(shape[axis+1:])
	at := 0
	for o := range elements(shape[:axis]) {
		for i := range n * inner {
			copy((o*shape[axis]+index*n)*inner+i, at)
			at++
		}
	}
}

// half takes one half along an axis.
func (g *extentGen) half(v shaped, axis int) {
	shape := g.shape(v.dims)
	if shape[axis] < 2 {
		return
	}
	index := g.IntN(2)
	var data []int32
	part(shape, axis, shape[axis]/2, index, func(whole, _ int) { data = append(data, v.data[whole]) })
	dims := with(v.dims, axis, 1, quotient(v.dims[axis], dim(2)))
	if len(v.dims) == 2 && axis == 1 && index == 0 && g.IntN(2) == 0 {
		g.add(fmt.Sprintf("low(%s)", v.name), dims, data)
		return
	}
	at := make([]int, len(v.dims))
	at[axis] = index
	g.add(fmt.Sprintf("tile.Extract[%%T](%s, %s)", v.name, names(len(at), func(i int) string { return fmt.Sprint(at[i]) })), dims, data)
}

// double puts a tile beside itself.
func (g *extentGen) double(v shaped, axis int) {
	shape := g.shape(v.dims)
	if 2*len(v.data) > most {
		return
	}
	dims := with(v.dims, axis, 1, product(dim(2), v.dims[axis]))
	data, n := make([]int32, 2*len(v.data)), shape[axis]
	part(g.shape(dims), axis, n, 0, func(whole, part int) { data[whole] = v.data[part] })
	part(g.shape(dims), axis, n, 1, func(whole, part int) { data[whole] = -v.data[part] })
	g.add(fmt.Sprintf("tile.Cat[%%T](%s, -%s, %d)", v.name, v.name, axis), dims, data)
}

// turn swaps the last two axes.
func (g *extentGen) turn(v shaped) {
	n := len(v.dims)
	if n < 2 {
		return
	}
	shape := g.shape(v.dims)
	rows, columns := shape[n-2], shape[n-1]
	var data []int32
	for at := 0; at < len(v.data); at += rows * columns {
		for j := range columns {
			for i := range rows {
				data = append(data, v.data[at+i*columns+j])
			}
		}
	}
	g.add(v.name+".T()", with(v.dims, n-2, 2, v.dims[n-1], v.dims[n-2]), data)
}

// sum adds up along an axis.
func (g *extentGen) sum(v shaped, axis int) {
	shape := g.shape(v.dims)
	dims := with(v.dims, axis, 1, dim(1))
	data := make([]int32, len(v.data)/shape[axis])
	for i := range shape[axis] {
		part(shape, axis, 1, i, func(whole, part int) { data[part] += v.data[whole] })
	}
	g.add(fmt.Sprintf("%s.Sum%d()", v.name, axis), dims, data)
}

// spread stretches an axis of extent 1.
func (g *extentGen) spread(v shaped) {
	shape := g.shape(v.dims)
	axis := slices.Index(shape, 1)
	if axis < 0 {
		return
	}
	dims := with(v.dims, axis, 1, g.known(2))
	n := g.shape(dims)[axis]
	if n*len(v.data) > most {
		return
	}
	data := make([]int32, n*len(v.data))
	for i := range n {
		part(g.shape(dims), axis, 1, i, func(whole, part int) { data[whole] = v.data[part] })
	}
	g.add(fmt.Sprintf("%%T(%s)", v.name), dims, data)
}

// respell writes the same extent in another way.
func (g *extentGen) respell(v shaped, axis int) {
	d, k := v.dims[axis], g.known(0)
	ways := []*extent{product(d, dim(1)), quotient(d, quotient(k, k)), quotient(product(d, k), k), quotient(product(k, d), k)}
	if d.word == "Product" {
		ways = append(ways, product(d.b, d.a))
	}
	if n, _ := d.value(g.p.args); d.param > 0 {
		ways = append(ways, dim(n))
	}
	word := [...]string{"%%T(%s)", "tile.Reshape[%%T](%s)"}[g.IntN(2)]
	g.add(fmt.Sprintf(word, v.name), with(v.dims, axis, 1, ways[g.IntN(len(ways))]), v.data)
}

// combine adds an older tile of the same extents, which may be written otherwise, where a mask says so.
func (g *extentGen) combine(v shaped) {
	var fit []shaped
	for _, w := range g.vars {
		if slices.Equal(g.shape(w.dims), g.shape(v.dims)) {
			fit = append(fit, w)
		}
	}
	w := fit[g.IntN(len(fit))]
	var data []int32
	for i, x := range v.data {
		y := w.data[i]
		if x > y || x&1 == 0 {
			x += y
		}
		data = append(data, x)
	}
	g.add(fmt.Sprintf("tile.Where(%s > %%T(%s) || %s&1 == 0, %s+%%T(%s), %s)", v.name, w.name, v.name, v.name, w.name, v.name), v.dims, data)
}
