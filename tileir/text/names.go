package text

import (
	"math"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// nameValues names every value of an entry as MLIR's printer does: an operation may suggest names for its results and
// block arguments; a name that is taken gets a number; the rest are numbered. All of a block is named before the blocks
// inside it, and blocks beside one another start from the same state, so they reuse names.
func nameValues(names map[*tileir.Value]string, e *tileir.Entry) {
	n := &namer{names: names}
	for i, v := range e.Params {
		names[v] = "%arg" + strconv.Itoa(i)
	}
	n.arg = len(e.Params)
	n.block(e.Body, nil)
}

// namer is the state while a block is named; a nested block works on a copy.
type namer struct {
	names                map[*tileir.Value]string
	value, arg, conflict int
	used                 map[string]bool
	outer                *namer
}

func (n *namer) taken(name string) bool {
	for s := n; s != nil; s = s.outer {
		if s.used[name] {
			return true
		}
	}
	return false
}

// unique claims a name, with a number after it where it is taken.
func (n *namer) unique(name string) string {
	if n.used == nil {
		n.used = map[string]bool{}
	}
	try := name
	for n.taken(try) {
		try = name + "_" + strconv.Itoa(n.conflict)
		n.conflict++
	}
	n.used[try] = true
	return "%" + try
}

// block names the arguments that the owner suggests names for, then the others, then the results of the operations.
func (n *namer) block(b *tileir.Block, owner *tileir.Op) {
	if b == nil {
		return
	}
	for i, a := range b.Args {
		if hint := argHint(owner, i, len(b.Args)); hint != "" {
			n.names[a] = n.unique(hint)
		} else {
			n.names[a] = n.unique("arg" + strconv.Itoa(n.arg))
			n.arg++
		}
	}
	for _, o := range b.Ops {
		n.results(o)
	}
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			inner := &namer{names: n.names, value: n.value, arg: n.arg, conflict: n.conflict, outer: n}
			inner.block(r, o)
		}
	}
}

// results names the results of an operation. Results after a named or numbered one share its name.
func (n *namer) results(o *tileir.Op) {
	start := 0
	for start < len(o.Results) {
		end := start + 1
		for end < len(o.Results) && resultHint(o, end) == "" {
			end++
		}
		var name string
		if hint := resultHint(o, start); hint != "" {
			name = n.unique(hint)
		} else {
			name = "%" + strconv.Itoa(n.value)
			n.value++
		}
		if end == start+1 {
			n.names[o.Results[start]] = name
		} else {
			for i := start; i < end; i++ {
				n.names[o.Results[i]] = name + "#" + strconv.Itoa(i-start)
			}
		}
		start = end
	}
}

// argHint is the name that an operation suggests for its block's i-th argument of n, "" for none.
func argHint(owner *tileir.Op, i, n int) string {
	if owner == nil {
		return ""
	}
	if name := argNames[owner.Info.ArgNames]; name != nil {
		return name(i, n)
	}
	return ""
}

// argNames are the ways to name n block arguments that [tileir.Info.ArgNames] tells apart.
var argNames = map[string]func(i, n int) string{
	"loop": func(i, _ int) string {
		if i == 0 {
			return "loopIdx"
		}
		return "iterArg" + strconv.Itoa(i-1)
	},
	"pairs": func(i, n int) string {
		name := [...]string{"reduce_lhs", "reduce_rhs"}[i%2]
		if n > 2 {
			name += strconv.Itoa(i / 2)
		}
		return name
	},
}

// Values of [tileir.Info.ResultName] that are no names.
const (
	constantName = "!constant"
	assumeName   = "!assume"
	silentName   = "-" // the operation could suggest names and does not; an assume of its results shows that
)

// resultHint is the name that an operation suggests for its i-th result, "" for none.
func resultHint(o *tileir.Op, i int) string {
	switch in := o.Info; {
	case in.ResultName == constantName:
		return constantHint(o)
	case in.ResultName == assumeName:
		return assumeHint(o)
	case len(in.Results) > 1:
		return in.Results[i].Name
	case i == 0 && in.ResultName != silentName:
		return in.ResultName
	}
	return ""
}

// maxAssumes limits the length of a chain's name.
const maxAssumes = 100 * len("assume_")

// assumeHint puts "assume_" before what the operand's operation suggests.
func assumeHint(o *tileir.Op) string {
	if len(o.Operands) == 0 || o.Operands[0] == nil || o.Operands[0].Def == nil {
		return "assume"
	}
	chain := strings.Builder{}
	v := o.Operands[0]
	for v.Def != nil && v.Def.Info.Opcode == tileir.OpAssume && len(v.Def.Operands) > 0 && v.Def.Operands[0] != nil && chain.Len() < maxAssumes {
		chain.WriteString("assume_")
		v = v.Def.Operands[0]
	}
	name := "assume_" + chain.String()
	if v.Def == nil || !suggestsNames(v.Def) {
		return strings.TrimSuffix(name, "_")
	}
	for i, r := range v.Def.Results {
		if r == v {
			name += resultHint(v.Def, i)
		}
	}
	return name
}

func suggestsNames(o *tileir.Op) bool {
	return o.Info.ResultName != "" && o.Info.ResultName != assumeName || len(o.Info.Results) > 1
}

// constantHint is "cst", the value when all elements are one integer, and the element type; i1 says true or false.
func constantHint(o *tileir.Op) string {
	c, ok := o.Attr("value").(*tileir.Constant)
	if !ok || c == nil || c.Type == nil {
		return "cst"
	}
	e := c.Type.Elem
	bits, splat := c.Splat()
	if e == tileir.I1 {
		switch {
		case !splat:
			return "cst_i1"
		case bits != 0:
			return "true"
		}
		return "false"
	}
	hint := "cst"
	if splat && e.IsInt() {
		hint += "_" + strconv.FormatInt(signed(e, bits), 10)
	} else if splat && e.IsFloat() {
		x := tileir.FloatOf(e, bits)
		switch {
		case x != x:
			hint += "_NaN"
		case x >= 0 && x < 1<<64 && x == float64(uint64(x)) && !(x == 0 && math.Signbit(x)):
			hint += "_" + strconv.FormatUint(uint64(x), 10)
		}
	}
	return hint + "_" + e.String()
}

// signed reads the bits of an integer as a signed number.
func signed(e tileir.Elem, bits uint64) int64 {
	s := 64 - e.Bits()
	return int64(bits<<s) >> s
}
