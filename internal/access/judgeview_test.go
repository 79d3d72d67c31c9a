package access_test

import (
	"math/big"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/tileir"
)

// address compares the address of an element.
func (j *judge) address(a *access.Access, at []int, want int64) {
	if a.Base == nil {
		return
	}
	n := new(big.Int).Add(j.value(a.Start, at), j.value(a.Gathered, at))
	for d, dim := range a.Dims {
		if !dim.Stride.Uniform() {
			j.fail("the stride of dimension %d is not the same everywhere", d)
		}
		n.Add(n, new(big.Int).Mul(j.value(dim.Stride, at), big.NewInt(int64(at[d]))))
	}
	n.Add(n.Mul(n, big.NewInt(4)), big.NewInt(j.vals[a.Base][0]))
	if got := new(big.Int).Sub(n, big.NewInt(want)); new(big.Int).Mod(got, new(big.Int).Lsh(big.NewInt(1), 64)).Sign() != 0 {
		j.fail("the element at %v has the address %d, and %v is expected", at, want, n)
	}
}

// view compares addresses and bounds of a load through a view.
func (j *judge) view(a *access.Access, t tileir.ViewType) {
	tensor := a.Op.Operand("view").Def.Operands[0].Def
	list := func(fixed []int64, operand string) (out []int64) {
		open := tensor.Named(operand)
		for _, n := range fixed {
			if n == tileir.Dynamic {
				n, open = j.vals[open[0]][0], open[1:]
			}
			out = append(out, n)
		}
		return out
	}
	extents, strides := list(t.TensorView().Shape, "dynamicShape"), list(t.TensorView().Strides, "dynamicStrides")
	axes, index := t.Axes(), a.Op.Named("index")
	for i := range t.TileType().Size() {
		at := position(t.TileType().Shape, i)
		address := j.vals[tensor.Operands[0]][0]
		for d, x := range axes {
			n := j.vals[index[d]][0]*x.Step + int64(at[d])
			if x.Sparse {
				n = j.vals[index[d]][at[d]]
			}
			address += 4 * n * strides[x.Dim]
			dim := a.Dims[d]
			if first := new(big.Int).Sub(big.NewInt(n), big.NewInt(int64(at[d]))); a.Base != nil && !x.Sparse && j.value(dim.From, at).Cmp(first) != 0 {
				j.fail("the tile begins at %d, and the form says %v", first, dim.From)
			}
			if a.Base != nil && x.Sparse && j.value(dim.From, at).Cmp(big.NewInt(n)) != 0 {
				j.fail("the position is %d, and the form says %v", n, dim.From)
			}
			j.inside(a, dim, at, n, extents[x.Dim])
		}
		j.address(a, at, address)
	}
}

// inside compares a position in a tensor with what is known of it.
func (j *judge) inside(a *access.Access, d access.Dim, at []int, n, extent int64) {
	if outside := n < 0 || n >= extent; outside && d.Inside {
		j.fail("the position %d is not inside %d", n, extent)
	}
	if d.Inside {
		j.count["inside"]++
	}
	if got := j.value(d.Extent, at); a.Base != nil && got.Cmp(big.NewInt(extent)) != 0 {
		j.fail("an extent is %d, and its form %v", extent, got)
	}
}

// aligned looks at the first element of each row.
func (j *judge) aligned(a *access.Access, shape []int) {
	for i, address := range j.vals[a.Op.Address()] {
		first := true
		for d, at := range position(shape, i) {
			first = first && (at == 0 || a.Dims[d].Step != access.Contiguous)
		}
		if first && address%a.Align != 0 {
			j.fail("the row at %#x is not aligned to %d bytes", address, a.Align)
		}
	}
}

func (j *judge) holds(m access.Mask, at []int, i int) bool {
	for _, b := range m.Bounds {
		j.count["bound"]++
		sum := new(big.Int)
		for d, c := range b.Coefs {
			sum.Add(sum, big.NewInt(c*int64(at[d])))
		}
		if sum.Cmp(j.value(b.Less, at)) >= 0 {
			return false
		}
	}
	for _, v := range m.Rest {
		if j.vals[v][i] == 0 {
			return false
		}
	}
	return true
}
