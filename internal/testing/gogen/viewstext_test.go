package gogen_test

import "fmt"

// text is the kernel of a program.
func (p *viewProgram) text() string {
	return fmt.Sprintf(`package views

import "github.com/cutile-go/cutile/tile"

type T = tile.I32T2[tile.D%d, tile.D%d]

type part struct {
	v    tile.In[T]
	axis int
}

func (p part) of(from, to int) tile.In[T] {
	p.v = p.v.Slice(p.axis, from, to)
	return p.v
}

func cut(v tile.In[T], axis, from, to int) tile.In[T] {
	if axis == 0 {
		return v.Slice(0, from, to)
	}
	return v.Slice(1, from, to)
}

func kernel(x tile.In[T], y, out tile.InOut[T], n int, c bool, at tile.In[tile.I32T1[tile.D1]]) {
	acc := x.Load(0, 0)
	u := int(tile.Reshape[tile.I32](at.Load(0)))
	_ = u
%s	out.Store(acc, 0, 0)
}
`, p.tile[0], p.tile[1], texts(p.body))
}

// reference runs a program: what it leaves in y and out.
func (p *viewProgram) reference(x, y []int32) (outY, acc []int32) {
	vx := view{data: x, shape: p.x, step: p.strides(), window: p.tile, tile: p.tile}
	outY = append(outY, y...)
	m := &machine{views: map[string]view{"x": vx, "y": {data: outY, shape: p.y, step: [2]int{p.y[1], 1}, window: p.tile, tile: p.tile}},
		ints: map[string]int{"n": p.n, "u": p.u, "c": int(p.given())}, acc: make([]int32, p.tile[0]*p.tile[1])}
	vx.each(0, 0, func(e, at int) {
		if at >= 0 {
			m.acc[e] = x[at]
		}
	})
	runAll(p.body, m)
	return outY, m.acc
}

// strides are those of x.
func (p *viewProgram) strides() [2]int {
	if p.swap {
		return [2]int{1, p.x[0]}
	}
	return [2]int{p.x[1], 1}
}

// given is c as a launch gives it.
func (p *viewProgram) given() uint64 {
	if p.c {
		return 1
	}
	return 0
}
