package main

import "github.com/cutile-go/cutile/internal/native/vec"

// row says how an instruction is written in Go. In the text, {f0} stands for the first operand as a float, {u0} as an
// integer without a sign, {s0} as one with a sign, {m0} as a mask and {from0} as what a conversion takes; {imm} is the
// immediate, {float}, {uint} and {int} are the Go types of Type.
type row struct {
	text  string
	text2 string // in place of it for F64
	kind  kind   // of the result
}

// kind says which Go type a register has.
type kind uint8

const (
	uints kind = iota
	floats
	truths
)

// rows has the instructions that functions may consist of, beside constants, Select and control flow. Products are
// converted so that no machine fuses them with sums.
var rows = map[vec.Op]row{
	vec.And:     {text: "{u0} & {u1}"},
	vec.Or:      {text: "{u0} | {u1}"},
	vec.Xor:     {text: "{u0} ^ {u1}"},
	vec.AndNot:  {text: "{u0} &^ {u1}"},
	vec.Add:     {text: "{u0} + {u1}"},
	vec.Sub:     {text: "{u0} - {u1}"},
	vec.Mul:     {text: "{u0} * {u1}"},
	vec.MulHiU:  {text: "mulHigh({u0}, {u1})"}, // of 64 bits
	vec.Shl:     {text: "{u0} << {u1}"},
	vec.ShrU:    {text: "{u0} >> {u1}"},
	vec.ShlImm:  {text: "{u0} << {imm}"},
	vec.ShrUImm: {text: "{u0} >> {imm}"},
	vec.ShrImm:  {text: "{uint}({s0} >> {imm})"},
	vec.Min:     {text: "{uint}(min({s0}, {s1}))"},
	vec.Max:     {text: "{uint}(max({s0}, {s1}))"},
	vec.MinU:    {text: "min({u0}, {u1})"},
	vec.MaxU:    {text: "max({u0}, {u1})"},

	vec.FAdd:   {text: "{f0} + {f1}", kind: floats},
	vec.FSub:   {text: "{f0} - {f1}", kind: floats},
	vec.FMul:   {text: "{float}({f0} * {f1})", kind: floats},
	vec.FDiv:   {text: "{f0} / {f1}", kind: floats},
	vec.FSqrt:  {text: "{float}(math.Sqrt(float64({f0})))", kind: floats},
	vec.FScale: {text: "scale32({f0}, {u1})", text2: "scale64({f0}, {u1})", kind: floats},

	vec.SignExtend: {text: "{uint}({int}({from0}))"},
	vec.ZeroExtend: {text: "{uint}({fromuint0})"},
	vec.Truncate:   {text: "{uint}({from0})"},
	vec.FConvert:   {text: "{float}({from0})", kind: floats},
	vec.FromInt:    {text: "{float}({from0})", kind: floats},
	vec.ToInt:      {text: "{uint}({int}({from0}))"},

	vec.MAnd:    {text: "{m0} && {m1}", kind: truths},
	vec.MOr:     {text: "{m0} || {m1}", kind: truths},
	vec.MXor:    {text: "{m0} != {m1}", kind: truths},
	vec.MAndNot: {text: "{m0} && !{m1}", kind: truths},
}

// roundings are the functions of [vec.FRound], by direction.
var roundings = [...]string{vec.Nearest: "math.RoundToEven", vec.Floor: "math.Floor", vec.Ceil: "math.Ceil", vec.Trunc: "math.Trunc"}

// comparisons are those of [vec.Cmp] and [vec.FCmp]; those without a sign compare integers without one.
var comparisons = [...]string{
	vec.EQ: "{0} == {1}", vec.NE: "{0} != {1}", vec.LT: "{0} < {1}", vec.LE: "{0} <= {1}", vec.GT: "{0} > {1}", vec.GE: "{0} >= {1}",
	vec.ULT: "{0} < {1}", vec.ULE: "{0} <= {1}", vec.UGT: "{0} > {1}", vec.UGE: "{0} >= {1}",
	vec.Unordered: "{0} != {0} {and} {1} != {1}", vec.Ordered: "{0} == {0} {and} {1} == {1}",
}
