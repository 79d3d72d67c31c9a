package access_test

import "github.com/cutile-go/cutile/tileir"

// evaluator computes the integers, truth values and pointers of an entry, element by element. It shares nothing with the
// analysis. Truth values are 0 and 1, pointers are addresses.
type evaluator struct {
	vals  map[*tileir.Value][]int64
	block [3]int64
	grid  [3]int64
	seen  func(o *tileir.Op) // called after each operation, and with a loop when an iteration begins
}

// void is the panic of an execution that breaks a promise: nothing is said of it.
type void struct{}

func typeOf(v *tileir.Value) *tileir.TileType { return v.Type.(*tileir.TileType) }

func wrap(e tileir.Elem, n int64) int64 {
	free := 64 - e.Bits()
	return n << free >> free
}

func unsigned(e tileir.Elem, n int64) uint64 { return uint64(n) << (64 - e.Bits()) >> (64 - e.Bits()) }

func (ev *evaluator) run(b *tileir.Block) []list {
	for _, o := range b.Ops {
		switch o.Info.Mnemonic {
		case "continue":
			var out []list
			for _, v := range o.Operands {
				out = append(out, ev.vals[v])
			}
			return out
		case "return":
		case "for":
			ev.loop(o)
		default:
			ev.op(o)
			ev.seen(o)
		}
	}
	return nil
}

// list has the elements of a tile in row-major order.
type list = []int64

func (ev *evaluator) loop(o *tileir.Op) {
	args := o.Regions[0].Args
	for i, v := range o.Operands[3:] {
		ev.vals[args[i+1]] = ev.vals[v]
	}
	for i := ev.vals[o.Operands[0]][0]; i < ev.vals[o.Operands[1]][0]; i += ev.vals[o.Operands[2]][0] {
		ev.vals[args[0]] = list{i}
		ev.seen(o)
		for k, x := range ev.run(o.Regions[0]) {
			ev.vals[args[k+1]] = x
		}
	}
	for i, v := range o.Results {
		ev.vals[v] = ev.vals[args[i+1]]
	}
}

func (ev *evaluator) op(o *tileir.Op) {
	switch o.Info.Mnemonic {
	case "load_ptr_tko", "load_view_tko", "make_tensor_view", "make_partition_view", "make_strided_view", "make_gather_scatter_view":
	case "get_tile_block_id", "get_num_tile_blocks":
		from := map[string][3]int64{"get_tile_block_id": ev.block, "get_num_tile_blocks": ev.grid}[o.Info.Mnemonic]
		for i, v := range o.Results {
			ev.vals[v] = list{from[i]}
		}
	default:
		t := typeOf(o.Results[0])
		out := make(list, t.Size())
		for i := range out {
			out[i] = ev.element(o, t, i)
		}
		ev.vals[o.Results[0]] = out
	}
}

// position takes a row-major index apart.
func position(shape []int, i int) []int {
	out := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		out[d], i = i%shape[d], i/shape[d]
	}
	return out
}

func flat(shape, at []int) (i int) {
	for d, n := range shape {
		i = i*n + at[d]
	}
	return i
}

// element computes one element of a result.
func (ev *evaluator) element(o *tileir.Op, t *tileir.TileType, i int) int64 {
	get := func(k int) int64 { return ev.vals[o.Operands[k]][i] }
	at := position(t.Shape, i)
	switch o.Info.Mnemonic {
	case "constant":
		return wrap(t.Elem, int64(o.Attr("value").(*tileir.Constant).Element(i)))
	case "iota":
		return int64(i)
	case "reshape":
		return get(0)
	case "broadcast":
		from := typeOf(o.Operands[0]).Shape
		for d, n := range from {
			at[d] %= n
		}
		return ev.vals[o.Operands[0]][flat(from, at)]
	case "permute":
		from := make([]int, len(at))
		for d, old := range o.Attr("permutation").(tileir.Ints) {
			from[old] = at[d]
		}
		return ev.vals[o.Operands[0]][flat(typeOf(o.Operands[0]).Shape, from)]
	case "assume":
		ev.promise(o, get(0))
		return get(0)
	case "offset":
		return get(0) + 4*get(1)
	case "exti", "trunci":
		if e := typeOf(o.Operands[0]).Elem; o.Info.Mnemonic == "exti" && tileir.Int(o.Int("signedness")) == tileir.Unsigned {
			return int64(unsigned(e, get(0)))
		}
		return wrap(t.Elem, get(0))
	case "select":
		if get(0) != 0 {
			return get(1)
		}
		return get(2)
	case "andi":
		return get(0) & get(1)
	case "cmpi":
		return ev.compare(o, get(0), get(1))
	case "negi":
		return wrap(t.Elem, -get(0))
	}
	return ev.arithmetic(o, t.Elem, get(0), get(1))
}

func (ev *evaluator) promise(o *tileir.Op, n int64) {
	switch p := o.Attr("predicate").(type) {
	case tileir.DivBy:
		if n%int64(p.Divisor) != 0 {
			panic(void{})
		}
	case tileir.Bounded:
		if p.Lower != nil && n < *p.Lower || p.Upper != nil && n > *p.Upper {
			panic(void{})
		}
	}
}

func (ev *evaluator) compare(o *tileir.Op, x, y int64) int64 {
	if e := typeOf(o.Operands[0]).Elem; tileir.Int(o.Int("signedness")) == tileir.Unsigned {
		x, y = int64(unsigned(e, x)^1<<63), int64(unsigned(e, y)^1<<63)
	}
	holds := map[tileir.Int]bool{tileir.CompareEqual: x == y, tileir.CompareLessThan: x < y, tileir.CompareLessThanOrEqual: x <= y,
		tileir.CompareGreaterThan: x > y, tileir.CompareGreaterThanOrEqual: x >= y}[tileir.Int(o.Int("comparison_predicate"))]
	if holds {
		return 1
	}
	return 0
}

// arithmetic computes sums and so on, and gives up where a promise not to wrap around is broken. Integers of 64 bits wrap
// around here where those without bounds would not fit, which the bounds of the parameters rule out for the promises.
func (ev *evaluator) arithmetic(o *tileir.Op, e tileir.Elem, x, y int64) int64 {
	var n, u int64
	a, b := int64(unsigned(e, x)), int64(unsigned(e, y))
	switch o.Info.Mnemonic {
	case "addi":
		n, u = x+y, a+b
	case "subi":
		n, u = x-y, a-b
	case "muli":
		n, u = x*y, a*b
	case "shli":
		n, u = x<<y, a<<y
	default:
		return ev.divide(o, e, x, y)
	}
	p := tileir.Int(o.Int("overflow"))
	overflow := wrap(e, n) != n || e == tileir.I64 && wide(o.Info.Mnemonic, x, y)
	if p == tileir.OverflowNoSignedWrap && overflow || p == tileir.OverflowNoUnsignedWrap && (u < 0 || int64(unsigned(e, u)) != u || e == tileir.I64) {
		panic(void{})
	}
	return wrap(e, n)
}

// wide reports whether an operation on 64 bits may have wrapped around.
func wide(name string, x, y int64) bool {
	const half = 1 << 62
	big := func(n int64) bool { return n >= half || n <= -half }
	if name == "muli" || name == "shli" {
		return x != 0 && (big(x) || big(y) || name == "muli" && y != 0 && x*y/y != x || name == "muli" && big(x*y))
	}
	return big(x) || big(y)
}

func (ev *evaluator) divide(o *tileir.Op, e tileir.Elem, x, y int64) int64 {
	isUnsigned := tileir.Int(o.Int("signedness")) == tileir.Unsigned
	a, b := unsigned(e, x), unsigned(e, y)
	switch name := o.Info.Mnemonic; {
	case name == "mini" || name == "maxi":
		less := x < y
		if isUnsigned {
			less = a < b
		}
		if less == (name == "mini") {
			return x
		}
		return y
	case name == "remi" && isUnsigned:
		return wrap(e, int64(a%b))
	case name == "remi":
		return x % y
	case isUnsigned:
		q := a / b
		if tileir.Int(o.Int("rounding")) == tileir.RoundingPositiveInf && a%b != 0 {
			q++
		}
		return wrap(e, int64(q))
	}
	q, r := x/y, x%y // y is above 0 in the entries that are made
	switch mode := tileir.Int(o.Int("rounding")); {
	case mode == tileir.RoundingNegativeInf && r < 0:
		q--
	case mode == tileir.RoundingPositiveInf && r > 0:
		q++
	}
	return q
}
