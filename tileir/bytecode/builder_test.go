package bytecode_test

import (
	"reflect"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// methodOf finds the method of Builder that appends an operation.
func methodOf(b *Builder, in *Info) reflect.Value {
	v := reflect.ValueOf(b)
	want := strings.ToLower(strings.ReplaceAll(in.Mnemonic, "_", ""))
	for i := range v.NumMethod() {
		if strings.ToLower(v.Type().Method(i).Name) == want {
			return v.Method(i)
		}
	}
	return reflect.Value{}
}

// sampleArgs finds the arguments that a sample gives to a method, by their types.
type sampleArgs struct {
	in       *Info
	s        sample
	operands [][]*Value
	op, at   int // next operand and attribute
}

func (a *sampleArgs) value(variadic bool) []*Value {
	for ; a.op < len(a.in.Operands); a.op++ {
		if in := &a.in.Operands[a.op]; !in.Optional && in.Variadic == variadic {
			a.op++
			return a.operands[a.op-1]
		}
	}
	return nil
}

// attr gives the next attribute that must be given and has one of some codings.
func (a *sampleArgs) attr(codings ...AttrCoding) Attr {
	for i := range a.in.Attrs {
		x := &a.in.Attrs[i]
		for _, c := range codings {
			if i >= a.at && x.Coding == c && !x.Optional && !x.HasDefault {
				if c != StringAttr {
					a.at = i + 1
				}
				return a.s.attrs[x.Name]
			}
		}
	}
	return nil
}

func (a *sampleArgs) options() []Option {
	var out []Option
	for i := range a.in.Operands {
		if in := &a.in.Operands[i]; in.Optional && i < len(a.operands) && len(a.operands[i]) > 0 {
			out = append(out, map[string]func(*Value) Option{"mask": WithMask, "paddingValue": WithPadding, "token": WithToken}[in.Name](a.operands[i][0]))
		}
	}
	for i := range a.in.Attrs {
		x := &a.in.Attrs[i]
		v := a.s.attrs[x.Name]
		if v == nil || !x.Optional && !x.HasDefault {
			continue
		}
		switch x.Name {
		case "memory_scope":
			out = append(out, WithScope(v.(Int)))
		case "optimization_hints":
			out = append(out, WithHints(v.(Hints)))
		case "inbounds":
			out = append(out, WithInBounds(v.(Bools)...))
		case "rounding", "rounding_mode":
			out = append(out, WithRounding(v.(Int)))
		case "overflow":
			out = append(out, WithOverflow(v.(Int)))
		default:
			out = append(out, map[string]func() Option{"flush_to_zero": WithFlushToZero, "propagate_nan": WithPropagateNaN,
				"saturating": WithSaturation, "fast_acc": WithFastAcc, "global": WithGlobalMemory}[x.Name]())
		}
	}
	return out
}

// argument gives the value for one parameter.
func (a *sampleArgs) argument(t reflect.Type) any {
	var result Type
	if len(a.s.results) > 0 {
		result = a.s.results[0]
	}
	switch t {
	case reflect.TypeFor[*Value]():
		return a.value(false)[0]
	case reflect.TypeFor[[]*Value]():
		return a.value(true)
	case reflect.TypeFor[string]():
		return string(a.attr(StringAttr).(String))
	case reflect.TypeFor[Int]():
		return a.attr(EnumAttr)
	case reflect.TypeFor[int64]():
		return int64(a.attr(VarintAttr).(Int))
	case reflect.TypeFor[*Constant]():
		return a.attr(ConstantAttr)
	case reflect.TypeFor[Attr]():
		return a.attr(PredicateAttr)
	case reflect.TypeFor[[]int]():
		if x, ok := a.attr(Int32ArrayAttr).(Ints); ok {
			return []int(x)
		}
		return result.(*TileType).Shape
	case reflect.TypeFor[Elem]():
		return result.(*TileType).Elem
	case reflect.TypeFor[[]Option]():
		return a.options()
	}
	return result
}

// TestBuilderMethods appends each sample with the builder's method and by the table, and compares.
func TestBuilderMethods(t *testing.T) {
	for _, in := range Infos() {
		if !in.InBody {
			continue
		}
		b := NewBuilder()
		method := methodOf(b, in)
		if !method.IsValid() {
			t.Errorf("there is no method for %s", in.Mnemonic)
			continue
		}
		if structured[in.Mnemonic] != nil {
			continue // TestBuilderStructured
		}
		want := kernel(func(raw *builder) {
			for _, s := range samples[in.Mnemonic] {
				if !s.carriesAttr() {
					raw.add(in.Mnemonic, s)
				}
			}
		})
		// The same body again: operations in between come from the same code, those of the sample from the method.
		got := kernel(func(raw *builder) {
			for _, s := range samples[in.Mnemonic] {
				if s.carriesAttr() {
					continue
				}
				a := &sampleArgs{in: in, s: s, operands: make([][]*Value, len(in.Operands))}
				for i, types := range s.operands {
					for _, ty := range types {
						a.operands[i] = append(a.operands[i], raw.value(ty))
					}
				}
				ops := callMethod(method, a)
				entry := b.Entry("sample", nil, func([]*Value) { ops() })
				raw.block.Ops = append(raw.block.Ops, entry.Body.Ops[0])
			}
		})
		if err := equalModules(want, got); err != nil {
			t.Errorf("%s: %v", in.Mnemonic, err)
		}
	}
}

func callMethod(method reflect.Value, a *sampleArgs) func() {
	return func() {
		ft := method.Type()
		args := make([]reflect.Value, ft.NumIn())
		for i := range args {
			x := a.argument(ft.In(i))
			if x == nil {
				args[i] = reflect.Zero(ft.In(i))
			} else {
				args[i] = reflect.ValueOf(x)
			}
		}
		if ft.IsVariadic() {
			method.CallSlice(args)
		} else {
			method.Call(args)
		}
	}
}

// TestBuilderStructured builds what TestEveryOperation builds of operations with regions.
func TestBuilderStructured(t *testing.T) {
	for _, c := range []struct {
		name  string
		want  *Module
		build func(b *Builder)
	}{{"if", ifs(Newest), buildIfs}, {"for", fors(Newest), buildFors}, {"loop", loops(Newest), buildLoops},
		{"return", returns(Newest), buildReturns}, {"reduce", reductions(Newest), buildReductions}} {
		b := NewBuilder()
		b.Entry("k", nil, func([]*Value) { c.build(b) })
		got, err := b.Build(Newest)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if a, b := text.Sprint(got), text.Sprint(c.want); a != b {
			t.Errorf("%s: %s", c.name, firstDifference(a, b))
		}
		if err := equalModules(c.want, got); err != nil && c.name != "loop" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func zero(b *Builder, t *TileType) *Value {
	return b.Constant(&Constant{Type: t, Data: make([]byte, (t.Elem.Bits()+7)/8)})
}

func buildIfs(b *Builder) {
	cond, x := zero(b, Tile(I1)), zero(b, f32v)
	yield := func(vs ...*Value) func() {
		return func() {
			zero(b, i32s)
			b.Yield(vs...)
		}
	}
	b.If(cond, nil, yield(), nil)
	b.If(cond, nil, yield(), yield())
	r := b.If(cond, []Type{f32v, Tile(I1)}, yield(x, cond), yield(x, cond))
	b.NegF(r[0])
	b.Assume(b.If(cond, []Type{Tile(I1)}, yield(cond), yield(cond))[0], Bounded{})
}

func buildFors(b *Builder) {
	n, x := zero(b, i32s), zero(b, f32v)
	b.For(n, n, n, nil, func(i *Value, _ []*Value) { b.AbsI(i) })
	for range 2 {
		r := b.For(n, n, n, []*Value{x, n}, func(_ *Value, carried []*Value) { b.Continue(b.NegF(carried[0]), carried[1]) }, WithUnsigned())
		b.AbsI(r[1])
		b.Assume(r[1], DivBy{Divisor: 2})
	}
}

func buildLoops(b *Builder) {
	n, c := zero(b, i32s), zero(b, Tile(I1))
	b.Loop(nil, nil, func([]*Value) { b.If(c, nil, func() { b.Break() }, nil) })
	r := b.Loop([]*Value{n}, []Type{i32s, Tile(I1)}, func(carried []*Value) { b.Break(carried[0], c) })
	b.Loop(nil, []Type{i32s}, func([]*Value) { b.Break(n) })
	b.Loop([]*Value{n}, nil, func([]*Value) { b.Break() })
	b.Assume(r[0], DivBy{Divisor: 2})
}

func buildReturns(b *Builder) {
	b.If(zero(b, Tile(I1)), nil, func() { b.Return() }, nil)
}

func buildReductions(b *Builder) {
	x, y := zero(b, tileV), zero(b, Tile(I32, 4, 8))
	sum := func(args []*Value) { b.Yield(b.AddF(args[0], args[1], RoundingNearestEven)) }
	two := func(args []*Value) { b.Yield(args[0], args[3]) }
	ids := Numbers{{Elem: F32, Bits: 0x7f800000}, {Elem: I32, Bits: 0x80000000}}
	b.Reduce([]*Value{x}, 0, Numbers{{Elem: F32}}, sum)
	b.Reduce([]*Value{x, y}, 1, ids, two)
	s := b.Scan([]*Value{x}, 1, true, Numbers{{Elem: F32}}, sum)
	b.Scan([]*Value{x, y}, 0, false, ids, two)
	b.NegF(s[0])
	for _, e := range []Elem{I1, I8, I64, F16, BF16, F64, F8E4M3FN, TF32} {
		id := Numbers{{Elem: e, Bits: 1}}
		if e == F64 {
			id[0].Bits = 0xfff0000000000000
		}
		b.Reduce([]*Value{zero(b, Tile(e, 4))}, 0, id, func(args []*Value) { b.Yield(args[0]) })
	}
}

// TestBuilderErrors misuses the builder: Build says what is wrong, and nothing panics.
func TestBuilderErrors(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(b *Builder, x, p *Value)
	}{
		{"tileir: addf takes no mask", func(b *Builder, x, _ *Value) { b.AddF(x, x, RoundingZero, WithMask(x)) }},
		{"operation 2 (absi): operand source: expected a tile of i1", func(b *Builder, x, _ *Value) { b.AbsI(x) }},
		{"operand rhs is nil", func(b *Builder, x, _ *Value) { b.AddF(x, nil, RoundingZero) }},
		{"operand source is nil", func(b *Builder, _, _ *Value) { b.Bitcast(nil, I32) }},
		{"operand view is nil", func(b *Builder, _, _ *Value) { b.LoadViewTko(nil, nil, MemoryWeak) }},
		{"operand src is nil", func(b *Builder, _, _ *Value) { b.GetTensorShape(nil, I32) }},
		{"operand operands is nil", func(b *Builder, _, _ *Value) {
			b.Reduce([]*Value{nil}, 0, Numbers{{Elem: F32}}, func(args []*Value) { b.Yield(args[0]) })
		}},
		{"operand lowerBound is nil", func(b *Builder, _, _ *Value) { b.For(nil, nil, nil, nil, func(*Value, []*Value) {}) }},
		{"attribute permutation: expected a permutation", func(b *Builder, x, _ *Value) { b.Permute(x, []int{3}) }},
		{"attribute dim: 9 is not in 0..0", func(b *Builder, x, _ *Value) { b.Cat(x, x, 9) }},
		{"operations follow a terminator", func(b *Builder, x, _ *Value) { b.Return(); b.NegF(x) }},
		{"a weak access has no scope", func(b *Builder, _, p *Value) { b.LoadPtrTko(p, MemoryWeak, WithScope(ScopeDevice)) }},
	} {
		b := NewBuilder()
		b.Entry("k", nil, func([]*Value) {
			c.build(b, zero(b, f32v), b.IntToPtr(zero(b, Tile(I64, 4)), F32))
		})
		m, err := b.Build(Newest)
		want := strings.Replace(c.want, "operation 2", "operation 3", 1)
		if m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nexpected %s", err, want)
		}
	}
	b := NewBuilder()
	b.MakeToken()
	if _, err := b.Build(Newest); err == nil || !strings.Contains(err.Error(), "make_token stands outside of an entry") {
		t.Error(err)
	}
}

// TestConstants compares what the helpers make with the printed values.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		c    *Constant
		want string
	}{
		{IntConstant(Tile(I32), 42), "<i32: 42> : tile<i32>"},
		{IntConstant(Tile(I8, 2), -1, 2), "<i8: [-1, 2]> : tile<2xi8>"},
		{IntConstant(Tile(I1, 4), 1), "<i1: true> : tile<4xi1>"},
		{IntConstant(Tile(I1, 4), 0), "<i1: false> : tile<4xi1>"},
		{IntConstant(Tile(I1, 4), 1, 0, 7, 0), "<i1: [true, false, true, false]> : tile<4xi1>"},
		{IntConstant(Tile(F16, 2), 3), "<f16: 3.000000e+00> : tile<2xf16>"},
		{FloatConstant(Tile(F32), 0.1), "<f32: 1.000000e-01> : tile<f32>"},
		{FloatConstant(Tile(F64), 1e300), "<f64: 1.000000e+300> : tile<f64>"},
		{FloatConstant(Tile(BF16, 2), 1, -2), "<bf16: [1.000000e+00, -2.000000e+00]> : tile<2xbf16>"},
		{FloatConstant(Tile(TF32), 1.5), "<tf32: 1.500000e+00> : tile<tf32>"},
		{FloatConstant(Tile(F8E4M3FN, 2), 448, 1e9), "<f8E4M3FN: [4.480000e+02, 0x7F]> : tile<2xf8E4M3FN>"},
		{FloatConstant(Tile(F8E5M2), 1e9), "<f8E5M2: 0x7C> : tile<f8E5M2>"},
		{FloatConstant(Tile(F4E2M1FN, 2), 100), "<f4E2M1FN: 6.000000e+00> : tile<2xf4E2M1FN>"},
		{FloatConstant(Tile(I16), 7.9), "<i16: 7> : tile<i16>"},
	} {
		b := NewBuilder()
		b.Entry("k", nil, func([]*Value) { b.Constant(c.c) })
		m, err := b.Build(Newest)
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
		} else if got := text.Sprint(m); !strings.Contains(got, "constant "+c.want+"\n") {
			t.Errorf("%s, expected %s", got, c.want)
		}
	}
}
