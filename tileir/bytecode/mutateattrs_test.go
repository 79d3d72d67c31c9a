package bytecode_test

import (
	"fmt"
	"math"
	"slices"

	. "github.com/cutile-go/cutile/tileir"
)

// fitting are the attributes of an operation that a condition holds for.
func fitting(o *Op, fits func(a *AttrInfo, v Attr) bool) []int {
	var out []int
	for i := range o.Attrs {
		if fits(&o.Info.Attrs[i], o.Attrs[i]) {
			out = append(out, i)
		}
	}
	return out
}

// onAttr applies a change to some attribute that a condition holds for.
func onAttr(fits func(a *AttrInfo, v Attr) bool, change func(u *mutant, a *AttrInfo, v Attr) Attr) func(*mutant) string {
	return func(u *mutant) string {
		s, ok := u.anyOp(func(s site) bool { return len(fitting(s.op, fits)) > 0 })
		if !ok {
			return ""
		}
		i := pick(u.rnd, fitting(s.op, fits))
		a, old := &s.op.Info.Attrs[i], s.op.Attrs[i]
		s.op.Attrs[i] = change(u, a, old)
		return fmt.Sprintf("%s: %v became %v", a.Name, attrText(old), attrText(s.op.Attrs[i]))
	}
}

// attrText shows an attribute.
func attrText(a Attr) string {
	switch a := a.(type) {
	case *Constant:
		return fmt.Sprintf("%v of %d bytes", a.Type, len(a.Data))
	case DivBy:
		return fmt.Sprintf("div_by<%d, every %s, along %s>", a.Divisor, pointed(a.Every), pointed(a.Along))
	case Bounded:
		return fmt.Sprintf("bounded<%s, %s>", pointed(a.Lower), pointed(a.Upper))
	case String:
		return fmt.Sprintf("%q", string(a))
	}
	return fmt.Sprint(a)
}

func pointed(x *int64) string {
	if x == nil {
		return "?"
	}
	return fmt.Sprint(*x)
}

func given(_ *AttrInfo, v Attr) bool { return v != nil }

func coded(c AttrCoding) func(*AttrInfo, Attr) bool {
	return func(a *AttrInfo, v Attr) bool { return v != nil && a.Coding == c }
}

var enumValue = onAttr(func(a *AttrInfo, _ Attr) bool { return a.Coding == EnumAttr }, func(u *mutant, a *AttrInfo, v Attr) Attr {
	return Int(pick(u.rnd, a.Enum.Values).Value)
})

var enumOutOfRange = onAttr(coded(EnumAttr), func(u *mutant, a *AttrInfo, v Attr) Attr {
	return Int(pick(u.rnd, []int64{-1, int64(len(a.Enum.Values)), 99, 1 << 32, math.MaxInt64}))
})

var dropAttribute = onAttr(given, func(u *mutant, a *AttrInfo, v Attr) Attr { return nil })

var addAttribute = onAttr(func(a *AttrInfo, v Attr) bool { return v == nil }, func(u *mutant, a *AttrInfo, v Attr) Attr {
	return u.someAttr(a)
})

var otherKind = onAttr(given, func(u *mutant, a *AttrInfo, v Attr) Attr {
	return pick(u.rnd, []Attr{Int(1), Bool(true), String("x"), Ints{1}, Bools{true}, Numbers{{Elem: I32}}, Bounded{}, constantOf(i32s, 0, 0, 0, 0).attrs["value"], Hints{}})
})

// someAttr makes some value of an attribute's kind.
func (u *mutant) someAttr(a *AttrInfo) Attr {
	switch a.Coding {
	case EnumAttr:
		return Int(pick(u.rnd, a.Enum.Values).Value)
	case BoolArrayAttr:
		out := Bools{}
		for range u.rnd.IntN(4) {
			out = append(out, u.rnd.IntN(2) == 0)
		}
		return out
	case HintsAttr:
		return u.someHints([]string{"latency", "allow_tma", "occupancy", "latenzy"})
	}
	return encoding{in: LookupOpcode(0), only: "*"}.attr(a)
}

var truthValue = onAttr(func(a *AttrInfo, _ Attr) bool { return a.Coding == BoolAttr || a.Coding == UnitAttr },
	func(u *mutant, a *AttrInfo, v Attr) Attr { return Bool(v != Bool(true)) })

var integerValue = onAttr(coded(VarintAttr), func(u *mutant, a *AttrInfo, v Attr) Attr {
	x, _ := v.(Int)
	return pick(u.rnd, []Int{x + 1, x - 1, 2 * x, 0, 1, 3, -1, math.MaxInt32, math.MaxInt32 + 1, math.MaxInt64, math.MinInt64})
})

// listValue changes a list: its length, its order or one of its elements.
var listValue = onAttr(func(a *AttrInfo, v Attr) bool {
	return v != nil && (a.Coding == Int32ArrayAttr || a.Coding == BoolArrayAttr || a.Coding == NumberArrayAttr)
}, func(u *mutant, a *AttrInfo, v Attr) Attr {
	switch v := v.(type) {
	case Ints:
		return Ints(dimsNear(u.rnd, v))
	case Bools:
		return append(slices.Clone(v), true)[u.rnd.IntN(2):]
	case Numbers:
		return u.numbersNear(v)
	}
	return v
})

func (u *mutant) numbersNear(ns Numbers) Attr {
	out := slices.Clone(ns)
	if len(out) == 0 || u.rnd.IntN(6) == 0 {
		return append(out, Number{Elem: F32})
	}
	switch i := u.rnd.IntN(len(out)); u.rnd.IntN(5) {
	case 0:
		return out[:len(out)-1]
	case 1, 2:
		out[i].Elem = elemNear(u.rnd, out[i].Elem)
		out[i].Bits &= 1<<out[i].Elem.Bits() - 1
	default:
		out[i].Bits = u.rnd.Uint64() & (1<<out[i].Elem.Bits() - 1)
	}
	return out
}

var constantValue = onAttr(coded(ConstantAttr), func(u *mutant, a *AttrInfo, v Attr) Attr {
	c, _ := v.(*Constant)
	if c == nil {
		return v
	}
	size := (c.Type.Elem.Bits() + 7) / 8
	switch n := size * max(0, min(c.Type.Size(), 1<<10)); u.rnd.IntN(6) {
	case 0:
		if t, ok := tileNear(u.rnd, c.Type).(*TileType); ok {
			return &Constant{Type: t, Data: c.Data}
		}
	case 1:
		return &Constant{Type: c.Type, Data: make([]byte, u.rnd.IntN(n+2))}
	case 2:
		return &Constant{Type: c.Type}
	case 3:
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(u.rnd.Uint32())
		}
		return &Constant{Type: c.Type, Data: data}
	}
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(u.rnd.Uint32())
	}
	return &Constant{Type: c.Type, Data: data}
})

var predicateValue = onAttr(coded(PredicateAttr), func(u *mutant, a *AttrInfo, v Attr) Attr {
	some := func() *int64 {
		if u.rnd.IntN(4) == 0 {
			return nil
		}
		return i64p(pick(u.rnd, []int64{0, 1, 2, 4, 8, -1, 127, 128, -129, 1 << 31, math.MinInt64, math.MaxInt64}))
	}
	switch u.rnd.IntN(3) {
	case 0:
		return Bounded{Lower: some(), Upper: some()}
	case 1:
		out := SameElements{}
		for range u.rnd.IntN(3) {
			out = append(out, pick(u.rnd, []int64{0, 1, 2, 3, 4, 8, -1}))
		}
		return out
	}
	d := DivBy{Divisor: pick(u.rnd, []uint64{0, 1, 2, 3, 16, 1 << 40, 1 << 62, 1 << 63, 1<<63 + 1})}
	if u.rnd.IntN(2) == 0 {
		d.Every, d.Along = some(), some()
	}
	return d
})

// someHints makes hints with names out of a list, more or less sound.
func (u *mutant) someHints(names []string) Hints {
	var out Hints
	for range u.rnd.IntN(3) {
		h := ArchHints{Arch: pick(u.rnd, []string{"default", "sm_90", "sm_100", "sm_107", "gpu", ""})}
		for range u.rnd.IntN(3) {
			value := pick(u.rnd, []HintValue{{Bool: true}, {}, {Elem: I32, Int: 4}, {Elem: I32, Int: 1 << u.rnd.IntN(8)}, {Elem: I32, Int: -1},
				{Elem: I64, Int: 4}, {Other: String("x")}, {Other: Number{Elem: F32}}})
			h.Hints = append(h.Hints, Hint{Name: pick(u.rnd, names), Value: value})
		}
		out = append(out, h)
	}
	return out
}

var hintValue = onAttr(func(a *AttrInfo, _ Attr) bool { return a.Coding == HintsAttr }, func(u *mutant, a *AttrInfo, v Attr) Attr {
	return u.someHints([]string{"latency", "latency", "allow_tma", "allow_tma", "num_cta_in_cga"})
})

var textValue = onAttr(coded(StringAttr), func(u *mutant, a *AttrInfo, v Attr) Attr {
	old, _ := v.(String)
	return pick(u.rnd, []Attr{String(""), String("x"), String("%d"), String("%f %5d\n"), String("100%"), String("\x00"), String("é\xff"), String("k"),
		old + "%i", String("%lld %s")})
})
