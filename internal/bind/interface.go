package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tileir"
)

// Interface describes the code of a kernel for programs in other languages: the parameters in the order of [Call.Pack], with what the facts promise.
// The code relies on no proof, or [Exact] comes next.
func Interface(k *compile.Kernel, facts *compile.Facts, code *compile.Code) (*engine.Interface, error) {
	at := slices.IndexFunc(code.Module.Entries, func(e *tileir.Entry) bool { return e.Name == code.Entry })
	if at < 0 {
		return nil, fmt.Errorf("BUG: the module has no entry %s", code.Entry)
	}
	entry := code.Module.Entries[at]
	d := describer{entry: entry, names: map[string]bool{}, out: &engine.Interface{Symbol: code.Entry, Kernel: k.Name(), Params: []engine.CallParam{}}}
	for i, p := range k.Params() {
		d.param(&p, facts.Args[i], code.Writes[i])
	}
	if len(d.out.Params) != len(entry.Params) {
		return nil, fmt.Errorf("BUG: kernel %s has %d parameters, but its code %d", k.Name(), len(d.out.Params), len(entry.Params))
	}
	for _, q := range code.Equal {
		d.equal(q.A, q.B)
	}
	return d.out, nil
}

// Exact makes an interface that of code that relies on a proof: for one grid and the integers of one launch, as nothing simpler says for which
// others the proof holds.
func Exact(i *engine.Interface, grid Grid, bits []uint64) {
	i.ExactGrid = []uint32{uint32(grid[0]), uint32(grid[1]), uint32(grid[2])}
	for j := range i.Params {
		p := &i.Params[j]
		if t, _ := dtype.ByName(p.Type); p.Kind == engine.PointerParam || p.Kind == engine.ScalarParam && !t.IsInt() {
			continue
		}
		unused := 64 - 8*p.Size
		value := int64(bits[j]<<unused) >> unused
		if strings.HasPrefix(p.C, "u") {
			value = int64(bits[j] << unused >> unused)
		}
		p.Equals = &value
	}
}

// describer makes an interface.
type describer struct {
	entry *tileir.Entry
	names map[string]bool // that are taken
	end   int             // of the parameters so far, in bytes
	out   *engine.Interface
}

// param adds what a parameter of the function becomes.
func (d *describer) param(p *compile.Param, facts compile.ArgFacts, writes bool) {
	switch p.Kind {
	case compile.Func, compile.None:
		return
	case compile.Scalar:
		d.add(p.Name, engine.CallParam{Source: p.Name, Kind: engine.ScalarParam, Type: p.Elem.String(), C: scalarC(p.Elem)})
		return
	}
	base := engine.CallParam{Source: p.Name, Kind: engine.PointerParam, Type: p.Elem.String(), C: "CUdeviceptr", Tile: p.Tile, Multiple: p.Elem.Size()}
	base.Access = map[compile.Kind]string{compile.In: "read", compile.Out: "write", compile.InOut: "read and write",
		compile.Persistent: "write"}[p.Kind]
	if p.Kind == compile.Ptr {
		base.Access = map[bool]string{false: "read", true: "read and write"}[writes]
	}
	if facts.Align16 {
		base.Multiple = 16
	}
	d.add(p.Name, base)
	if p.Kind == compile.Ptr {
		return
	}
	extents := make([]string, len(p.Tile))
	for axis := range p.Tile {
		n := d.index(p.Name, engine.ExtentParam, axis)
		if facts.Extent16>>axis&1 != 0 {
			n.Multiple = 16
		}
		extents[axis] = d.add(fmt.Sprintf("%s_len%d", p.Name, axis), n)
	}
	for axis := range p.Tile {
		n := d.index(p.Name, engine.StrideParam, axis)
		if facts.Unit>>axis&1 != 0 {
			n.Equals = new(int64(1))
		} else if facts.Stride16>>axis&1 != 0 && p.Elem.Size() < 16 {
			n.Multiple = 16 / p.Elem.Size()
		}
		d.add(fmt.Sprintf("%s_stride%d", p.Name, axis), n)
	}
	switch p.Kind {
	case compile.Out:
		d.out.Grids = append(d.out.Grids, gridRule(p, extents))
	case compile.Persistent:
		g := engine.OutGrid{Source: p.Name}
		for axis, name := range extents {
			g.X = append(g.X, engine.Tiles{Extent: name, Tile: p.Tile[axis]})
		}
		d.out.Persistent = append(d.out.Persistent, g)
	}
}

// index is an extent or a stride.
func (d *describer) index(source, kind string, axis int) engine.CallParam {
	size := d.size()
	return engine.CallParam{Source: source, Kind: kind, Axis: &axis, Type: fmt.Sprint("int", 8*size), C: fmt.Sprintf("int%d_t", 8*size), Nonnegative: true}
}

// size is that of the next parameter in the code.
func (d *describer) size() int {
	n := len(d.out.Params)
	if n >= len(d.entry.Params) {
		return 0
	}
	t, ok := d.entry.Params[n].Type.(*tileir.TileType)
	switch {
	case !ok:
		return 0
	case t.Pointer:
		return 8
	}
	return t.Elem.Bytes()
}

// add adds a parameter under a name that no other one has, which it gives.
func (d *describer) add(name string, p engine.CallParam) string {
	p.Name = identifier(name)
	for d.names[p.Name] {
		p.Name += "_"
	}
	d.names[p.Name] = true
	if p.Size = d.size(); p.Size > 0 {
		p.Offset = (d.end + p.Size - 1) / p.Size * p.Size
		d.end = p.Offset + p.Size
	}
	d.out.Params = append(d.out.Params, p)
	return p.Name
}

// equal adds a requirement.
func (d *describer) equal(a, b compile.Number) {
	var q engine.EqualParam
	for _, n := range []compile.Number{a, b} {
		if n.Param < 0 {
			q.Value = &n.Const
		} else if n.Param < len(d.out.Params) {
			q.Params = append(q.Params, d.out.Params[n.Param].Name)
		}
	}
	d.out.Equal = append(d.out.Equal, q)
}

// gridRule is the grid of an Out, as gridOf computes it.
func gridRule(p *compile.Param, extents []string) engine.OutGrid {
	g := engine.OutGrid{Source: p.Name}
	lead := max(len(extents)-3, 0)
	for axis, name := range extents {
		to := g.Axes()[max(axis-lead, 0)]
		*to = append(*to, engine.Tiles{Extent: name, Tile: p.Tile[axis]})
	}
	return g
}

// scalarC is the type of C whose values have the bits of an element type.
func scalarC(t dtype.Type) string {
	switch {
	case t == dtype.F32:
		return "float"
	case t == dtype.F64:
		return "double"
	case t.IsInt() && t.IsSigned():
		return fmt.Sprintf("int%d_t", 8*t.Size())
	}
	return fmt.Sprintf("uint%d_t", 8*t.Size())
}
