package passes_test

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// interpreter runs kernels of single integers, one block, for judging ranges. It shares nothing with the passes, and looks
// at each value as it comes.
type interpreter struct {
	vals   map[*tileir.Value]int64 // as signed numbers of their own bits: true is -1
	memory map[*tileir.Value]int64 // by the pointer, a parameter
	block  [3]int64
	grid   [3]int64
	look   func(v *tileir.Value, n int64)
	access func(o *tileir.Op, index, tile, extent int64)
	stored []int64
	fuel   int
}

// spent is the panic of a program that takes too long.
type spent struct{}

func bitsOf(v *tileir.Value) int { return v.Type.(*tileir.TileType).Elem.Bits() }

func isInt(v *tileir.Value) bool {
	t, ok := v.Type.(*tileir.TileType)
	return ok && !t.Pointer && t.Elem.IsInt()
}

func (in *interpreter) set(v *tileir.Value, n int64) {
	free := 64 - bitsOf(v)
	n = n << free >> free
	in.vals[v] = n
	in.look(v, n)
}

// run executes a block; how is what ends it.
func (in *interpreter) run(b *tileir.Block) (how string, vs []int64) {
	for _, o := range b.Ops {
		if in.fuel--; in.fuel < 0 {
			panic(spent{})
		}
		switch name := o.Info.Mnemonic; name {
		case "yield", "continue", "break", "return":
			return name, in.all(o.Operands)
		case "if", "for", "loop":
			if how, vs := in.control(o); how != "" {
				return how, vs
			}
		default:
			in.op(o)
		}
	}
	return "", nil
}

func (in *interpreter) all(vs []*tileir.Value) (out []int64) {
	for _, v := range vs {
		out = append(out, in.vals[v])
	}
	return out
}

// control runs an operation with regions. how is not "" where one ends what is around, too.
func (in *interpreter) control(o *tileir.Op) (how string, vs []int64) {
	switch o.Info.Mnemonic {
	case "if":
		side := o.Regions[1]
		if in.vals[o.Operands[0]] != 0 {
			side = o.Regions[0]
		}
		if side != nil {
			if how, vs = in.run(side); how != "yield" && how != "" {
				return how, vs
			}
		}
	case "for":
		body := o.Regions[0]
		vs = in.all(o.Operands[3:])
		for i := in.vals[o.Operands[0]]; i < in.vals[o.Operands[1]]; i += in.vals[o.Operands[2]] {
			in.set(body.Args[0], i)
			if how, vs = in.turn(body, body.Args[1:], vs); how == "return" {
				return how, nil
			}
		}
	case "loop":
		vs = in.all(o.Operands)
		for how != "break" {
			if how, vs = in.turn(o.Regions[0], o.Regions[0].Args, vs); how == "return" {
				return how, nil
			}
		}
	}
	for i, r := range o.Results {
		in.set(r, vs[i])
	}
	return "", nil
}

func (in *interpreter) turn(b *tileir.Block, args []*tileir.Value, vs []int64) (string, []int64) {
	if in.fuel--; in.fuel < 0 {
		panic(spent{})
	}
	for i, a := range args {
		in.set(a, vs[i])
	}
	return in.run(b)
}

func (in *interpreter) op(o *tileir.Op) {
	if len(o.Results) == 0 || !isInt(o.Results[0]) {
		in.effect(o)
		return
	}
	x := in.all(o.Operands)
	switch o.Info.Mnemonic {
	case "get_tile_block_id":
		for i, r := range o.Results {
			in.set(r, in.block[i])
		}
	case "get_num_tile_blocks":
		for i, r := range o.Results {
			in.set(r, in.grid[i])
		}
	case "load_ptr_tko":
		in.set(o.Results[0], in.memory[o.Operands[0]])
	case "constant":
		n, _ := o.Attr("value").(*tileir.Constant).Splat()
		in.set(o.Results[0], int64(n))
	case "get_index_space_shape":
		in.set(o.Results[0], (in.extent(o.Operands[0].Def.Operands[0])+7)/8)
	case "get_tensor_shape":
		in.set(o.Results[0], in.extent(o.Operands[0]))
	case "select":
		in.set(o.Results[0], map[bool]int64{true: x[1], false: x[2]}[x[0] != 0])
	case "exti":
		if o.Int("signedness") != int64(tileir.Signed) {
			x[0] &= 1<<bitsOf(o.Operands[0]) - 1
		}
		in.set(o.Results[0], x[0])
	case "trunci", "assume":
		in.set(o.Results[0], x[0])
	default:
		in.set(o.Results[0], arithmetically(o, x))
	}
}

// arithmetically computes with two numbers.
func arithmetically(o *tileir.Op, x []int64) int64 {
	unsigned := slices.ContainsFunc(o.Info.Attrs, func(a tileir.AttrInfo) bool { return a.Name == "signedness" }) && o.Int("signedness") != int64(tileir.Signed)
	a, b := x[0], x[1]
	less := a < b
	if unsigned {
		less = uint64(a) < uint64(b) // sign extension keeps the order
	}
	switch o.Info.Mnemonic {
	case "addi":
		return a + b
	case "subi":
		return a - b
	case "muli":
		return a * b
	case "andi":
		return a & b
	case "ori":
		return a | b
	case "xori":
		return a ^ b
	case "divi", "remi":
		div, rem := a/b, a%b
		if mask := uint64(1)<<bitsOf(o.Operands[0]) - 1; unsigned {
			x, y := uint64(a)&mask, uint64(b)&mask
			div, rem = int64(x/y), int64(x%y)
		}
		if o.Info.Mnemonic == "divi" {
			return div
		}
		return rem
	case "mini", "maxi":
		if less == (o.Info.Mnemonic == "mini") {
			return a
		}
		return b
	case "cmpi":
		holds := [...]bool{a == b, a != b, less, less || a == b, !less && a != b, !less}[o.Int("comparison_predicate")]
		if holds {
			return -1
		}
		return 0
	}
	panic(fmt.Sprintf("BUG: the interpreter has no %s", o.Info.Mnemonic))
}

// extent is that of a tensor of rank 1.
func (in *interpreter) extent(tensor *tileir.Value) int64 { return in.vals[tensor.Def.Group(1)[0]] }

// effect is for stores: of an integer to memory, or of a tile.
func (in *interpreter) effect(o *tileir.Op) {
	switch o.Info.Mnemonic {
	case "store_ptr_tko":
		in.stored = append(in.stored, in.vals[o.Operands[1]])
	case "store_view_tko":
		index := o.Group(o.Info.OperandIndex("index"))[0]
		in.access(o, in.vals[index], 8, in.extent(o.Operand("view").Def.Operands[0]))
	}
}
