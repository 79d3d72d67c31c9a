package atom_test

import (
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
)

// elems are the types by the names of the table.
var elems = map[string]atom.Elem{
	"f16": atom.F16, "bf16": atom.BF16, "tf32": atom.TF32, "s8": atom.S8, "u8": atom.U8, "f64": atom.F64,
	"Float16": atom.F16, "BFloat16": atom.BF16, "Float32": atom.F32, "Float64": atom.F64, "Int32": atom.S32, "Int8": atom.S8,
	"Float8E4M3FN": atom.E4M3,
}

// permutation reads a permutation column: _ or sizes.
func permutation(s string) layout.ByMode {
	if s == "_" {
		return nil
	}
	return layout.TileOf(ints(s)...)
}

// compact is the layout of a shape column.
func compact(s string) layout.Layout { return must(layout.Compact(tup(s))) }

func tiledMma(in []string) (atom.TiledMma, error) {
	k := ints(in[3])
	m, err := atom.MmaSync(k[0], k[1], k[2], elems[in[1]], elems[in[1]], elems[in[2]])
	if err != nil {
		return atom.TiledMma{}, err
	}
	return atom.NewTiledMma(m, compact(in[4]), permutation(in[5]))
}

var majors = map[string]atom.Major{"K": atom.MajorK, "MN": atom.MajorMN}

func tiledWgmma(in []string) (atom.TiledMma, error) {
	e := elems[in[1]]
	m, err := atom.Wgmma(atom.WarpGroupMma{N: ints(in[3])[1], A: e, B: e, C: elems[in[2]], ARegs: in[4] == "RMEM",
		AMajor: majors[in[5]], BMajor: majors[in[6]]})
	if err != nil {
		return atom.TiledMma{}, err
	}
	return atom.NewTiledMma(m, compact(in[7]), nil)
}

func describeMma(m atom.TiledMma, err error) (answer, error) {
	if err != nil {
		return nil, err
	}
	shape := m.Atom().Shape
	a := answer{
		"thr_id": m.Atom().Threads.String(), "shape_mnk": layout.Of(shape[:]...).String(),
		"thr_vmnk": m.Threads().String(), "size": strconv.Itoa(m.Size()), "tile": m.Tile().String(),
	}
	for o := atom.A; o <= atom.C; o++ {
		a[o.String()] = m.Atom().TV[o].String()
		tv, err := m.TV(o)
		if err != nil {
			return nil, err
		}
		a[o.String()+"_tiled"] = tv.String()
	}
	return a, nil
}

// partitions partitions identity tensors of M, N and K; last are the columns with their extents and with the thread.
func partitions(make func([]string) (atom.TiledMma, error), in, last []string) (answer, error) {
	m, err := make(in)
	if err != nil {
		return nil, err
	}
	s := ints(last[0])
	a := answer{}
	for o, shape := range []layout.Tuple{layout.Of(s[0], s[2]), layout.Of(s[1], s[2]), layout.Of(s[0], s[1])} {
		o := atom.Operand(o)
		part, off, err := m.Partition(o, integer(last[1]), must(layout.Identity(shape)))
		if err != nil {
			return nil, err
		}
		a[o.String()] = tensor(part, off)
		a["shape_"+o.String()] = must(m.PartitionShape(o, shape)).String()
	}
	return a, nil
}

// dynamic partitions a layout of numbers known at run time. The package made strides of 32 bits where the column asks for
// 64 (package.txt, dynamic make_layout).
func dynamic(o atom.Operand) operation {
	return func(in []string) (answer, error) {
		m := must(dynamicMma(in))
		l, off, err := m.Partition(o, integer(in[4]), lay(strings.ReplaceAll(in[3], "{i64}", "")))
		if err != nil {
			return nil, err
		}
		return answer{"": tensor(l, off)}, nil
	}
}

func dynamicMma(in []string) (atom.TiledMma, error) {
	return tiledMma([]string{"", "f16", "Float32", "(16,8,16)", in[1], in[2]})
}

// copyAtom reads a name; the table writes cp.async without the cache level ca.
func copyAtom(in []string) (atom.Copy, error) {
	name := in[0]
	if rest, ok := strings.CutPrefix(name, "cp.async."); ok && !strings.HasPrefix(rest, "cg") {
		name = "cp.async.ca." + rest
	}
	return atom.NewCopy(name, elems[in[1]])
}

func describeAtom(in []string) (answer, error) {
	c, err := copyAtom(in)
	return answer{"thr_id": c.Threads.String(), "src_tv": c.Src.String(), "dst_tv": c.Dst.String()}, err
}

// copyTV and copyMma make tiled copies. What the constructors refuse is made without them, so that the arithmetic can be
// compared; checked says what the constructor said.
func copyTV(in []string) (c atom.TiledCopy, checked, err error) {
	a, err := copyAtom(in)
	if err != nil {
		return c, nil, err
	}
	tile, tv, err := layout.LayoutTV(lay(in[2]), lay(in[3]))
	if err != nil {
		return c, nil, err
	}
	c, checked = atom.NewTiledCopyTV(a, lay(in[2]), lay(in[3]))
	if checked != nil {
		c = atom.TiledCopy{Atom: a, TV: tv, Tiler: must(layout.Tile(tile)).(layout.ByMode)}
	}
	return c, checked, nil
}

func copyMma(o atom.Operand) func([]string) (c atom.TiledCopy, checked, err error) {
	return func(in []string) (c atom.TiledCopy, checked, err error) {
		a, err := copyAtom(in)
		if err != nil {
			return c, nil, err
		}
		m := must(tiledMma([]string{"", "f16", "Float32", "(16,8,16)", in[2], in[3]}))
		c, checked = atom.NewTiledCopyMma(a, m, o)
		if checked != nil {
			s := ints(m.Tile().String())
			tile := [][]int{{s[0], s[2]}, {s[1], s[2]}, {s[0], s[1]}}[o]
			c = atom.TiledCopy{Atom: a, TV: must(m.TV(o)), Tiler: layout.TileOf(tile...)}
		}
		return c, checked, nil
	}
}

type makeCopy func(in []string) (c atom.TiledCopy, checked, err error)

func describeCopy(make makeCopy) operation {
	return func(in []string) (answer, error) {
		c, checked, err := make(in)
		if err != nil {
			return nil, err
		}
		var tiler []string
		for _, e := range c.Tiler {
			tiler = append(tiler, e.Layout.String())
		}
		a := answer{"tiler_mn": "(" + strings.Join(tiler, ",") + ")", "tv": c.TV.String(), "size": strconv.Itoa(c.Size()), checkedBy: say(checked)}
		for _, side := range []atom.Side{atom.Src, atom.Dst} {
			tv, err := c.Layout(side)
			if err != nil {
				return nil, err
			}
			a[map[atom.Side]string{atom.Src: "src_tv", atom.Dst: "dst_tv"}[side]] = tv.String()
		}
		return a, nil
	}
}

func partitionCopy(make makeCopy) operation {
	return func(in []string) (answer, error) {
		c, checked, err := make(in)
		if err != nil {
			return nil, err
		}
		a := answer{checkedBy: say(checked)}
		for _, side := range []atom.Side{atom.Src, atom.Dst} {
			l, off, err := c.Partition(side, integer(in[5]), must(layout.Identity(tup(in[4]))))
			if err != nil {
				return nil, err
			}
			a[side.String()] = tensor(l, off)
		}
		return a, nil
	}
}

// checkedBy is the part of an answer that is not recorded: what the constructor says of a tiled copy.
const checkedBy = "constructor"

func say(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// class is a heading of the table: the number of its cases, and what answers them.
type class struct {
	cases int
	f     operation
}

type operation func(in []string) (answer, error)

var classes = map[string]class{
	"mma tiled_mma":            {77, func(in []string) (answer, error) { return describeMma(tiledMma(in)) }},
	"wgmma tiled_mma":          {92, func(in []string) (answer, error) { return describeMma(tiledWgmma(in)) }},
	"mma partition_identity":   {231, func(in []string) (answer, error) { return partitions(tiledMma, in, in[6:]) }},
	"wgmma partition_identity": {44, func(in []string) (answer, error) { return partitions(tiledWgmma, in, in[8:]) }},

	"dynamic partition_A":            {18, dynamic(atom.A)},
	"dynamic partition_B":            {18, dynamic(atom.B)},
	"dynamic partition_C":            {18, dynamic(atom.C)},
	"dynamic partition_identity_thr": {4, func(in []string) (answer, error) { return partitions(dynamicMma, in, in[3:]) }},

	"copy atom":                        {37, describeAtom},
	"copy make_tiled_copy_tv":          {148, describeCopy(copyTV)},
	"copy partition_identity":          {296, partitionCopy(copyTV)},
	"copy make_tiled_copy_A":           {36, describeCopy(copyMma(atom.A))},
	"copy make_tiled_copy_B":           {36, describeCopy(copyMma(atom.B))},
	"copy make_tiled_copy_C":           {36, describeCopy(copyMma(atom.C))},
	"copy make_tiled_copy_A_partition": {36, partitionCopy(copyMma(atom.A))},
	"copy make_tiled_copy_B_partition": {36, partitionCopy(copyMma(atom.B))},
	"copy make_tiled_copy_C_partition": {36, partitionCopy(copyMma(atom.C))},
}
