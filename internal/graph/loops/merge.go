package loops

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/index"
)

// merged returns the kernel with as few axes as possible: without those of extent 1, and with one axis in place of two
// neighbours that are always used like the parts of one.
func (k *Kernel) merged() *Kernel {
	for i := 0; i < len(k.Axes); {
		switch {
		case k.Axes[i].Extent == 1:
			k = k.without(i, false)
		case i+1 < len(k.Axes) && k.joins(i):
			k = k.without(i, true)
		default:
			i++
			continue
		}
		i = max(0, i-1)
	}
	return k
}

// joins reports whether axis i and the next one are the parts of one: i counts steps of the length of the next one.
func (k *Kernel) joins(i int) bool {
	a, b := k.Axes[i], k.Axes[i+1]
	if a.Role != b.Role || b.Extent == 1 {
		return false
	}
	ok := true
	look := func(e index.Expr) { ok = ok && e.Joins(i, i+1, int64(b.Extent)) }
	look(k.At)
	for _, c := range k.Where {
		look(c.Index)
	}
	k.Walk(func(e *Expr) {
		look(e.At)
		for _, c := range e.Where {
			look(c.Index)
		}
		at := slices.Index(e.Along, i)
		ok = ok && (at < 0) == !slices.Contains(e.Along, i+1)
		// An index along both axes is not one along each of them.
		ok = ok && (e.Kind != Scan && e.Kind != ArgReduce && e.Kind != ArgSort || at < 0)
	})
	return ok
}

// without returns the kernel without axis i: its positions become those of the next axis if it is joined with that.
func (k *Kernel) without(i int, join bool) *Kernel {
	out := &Kernel{Into: k.Into, Nodes: k.Nodes, Scatter: k.Scatter, Fold: k.Fold, exprs: map[string]*Expr{}}
	extents := make([]int, 0, len(k.Axes))
	for j, a := range k.Axes {
		if j == i {
			continue
		}
		if join && j == i+1 {
			a.Extent *= k.Axes[i].Extent
		}
		out.Axes, extents = append(out.Axes, a), append(extents, a.Extent)
	}
	done := map[*Expr]*Expr{}
	var expr func(*Expr) *Expr
	at := func(e index.Expr) index.Expr {
		return e.Replace(func(a *index.Atom) (index.Expr, bool) {
			if a.Kind == index.ValueAtom {
				v := expr(a.Value.(*Expr))
				return clamped(v, a.Lo, a.Hi), true
			}
			switch j := a.Axis; {
			case j == i:
				return index.Expr{}, true
			case j > i:
				return index.Axis(j-1, extents[j-1]), true
			}
			return index.Expr{}, false
		})
	}
	expr = func(e *Expr) *Expr {
		if d := done[e]; d != nil {
			return d
		}
		c := *e
		c.Uses = 0
		c.At = at(e.At)
		c.Where = slices.Clone(e.Where)
		for j := range c.Where {
			c.Where[j].Index = at(c.Where[j].Index)
		}
		c.Args = make([]*Expr, len(e.Args))
		for j, a := range e.Args {
			c.Args[j] = expr(a)
		}
		c.Along = nil
		for _, j := range e.Along {
			if j > i {
				c.Along = append(c.Along, j-1)
			} else if j < i {
				c.Along = append(c.Along, j)
			}
		}
		done[e] = out.expr(c)
		return done[e]
	}
	out.At = at(k.At)
	for _, c := range k.Where {
		out.Where = append(out.Where, index.Cond{Index: at(c.Index), N: c.N})
	}
	out.Value = expr(k.Value)
	out.finish()
	return out
}
