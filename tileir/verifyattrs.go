package tileir

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
)

// attrs checks that attributes are given where they must be, of the right kind, allowed, and known to the version.
func (c *checker) attrs(o *Op) {
	for i := range o.Info.Attrs {
		a, v := &o.Info.Attrs[i], o.Attrs[i]
		if v == nil {
			if !a.Optional && !a.HasDefault {
				c.fail("attribute %s is missing", a.Name)
			}
			continue
		}
		if a.Since > c.version && !a.IsDefault(v) {
			c.fail("attribute %s needs version %v, but the target is %v", a.Name, a.Since, c.version)
			continue
		}
		c.attr(a, v)
	}
}

// IsDefault reports whether a value means the same as its absence.
func (a *AttrInfo) IsDefault(v Attr) bool {
	switch v := v.(type) {
	case Int:
		return a.HasDefault && int64(v) == a.Default
	case Bool:
		return !bool(v)
	case Bools:
		return !slices.Contains(v, true)
	}
	return false
}

// attrKinds are Go values of the kinds that each coding takes.
var attrKinds = [...]string{
	EnumAttr: "an integer", VarintAttr: "an integer", BoolAttr: "a truth value", UnitAttr: "a truth value",
	StringAttr: "a text", ConstantAttr: "a constant", Int32ArrayAttr: "integers", BoolArrayAttr: "truth values",
	NumberArrayAttr: "numbers", HintsAttr: "hints", PredicateAttr: "a predicate",
}

// attr checks one attribute by itself.
func (c *checker) attr(a *AttrInfo, v Attr) {
	ok := false
	switch v := v.(type) {
	case Int:
		if ok = a.Coding == EnumAttr || a.Coding == VarintAttr; a.Coding == EnumAttr {
			c.enum(a, int64(v))
		}
	case Bool:
		ok = a.Coding == BoolAttr || a.Coding == UnitAttr
	case String:
		ok = a.Coding == StringAttr
	case *Constant:
		ok = a.Coding == ConstantAttr && v != nil
	case Ints:
		ok = a.Coding == Int32ArrayAttr
	case Bools:
		ok = a.Coding == BoolArrayAttr
	case Numbers:
		ok = a.Coding == NumberArrayAttr
	case Hints:
		ok = a.Coding == HintsAttr
	case DivBy, Bounded, SameElements:
		ok = a.Coding == PredicateAttr
	}
	if !ok {
		c.fail("attribute %s: expected %s, but found a %T", a.Name, attrKinds[a.Coding], v)
	}
}

func (c *checker) enum(a *AttrInfo, v int64) {
	var allowed []string
	for _, e := range a.Enum.Values {
		if a.Allowed == nil || slices.Contains(a.Allowed, e.Value) {
			if e.Value == v {
				return
			}
			allowed = append(allowed, e.Text)
		}
	}
	c.fail("attribute %s: expected %s, but found %s", a.Name, names.Either(allowed), a.Enum.Text(v))
}

// roundings has the rounding modes that an operation takes. Those under single need elements of f32.
var roundings = [len(byOpcode)]struct {
	attr        string
	any, single []Int
}{
	OpAddF: {"rounding_mode", ieeeModes, nil},
	OpSubF: {"rounding_mode", ieeeModes, nil},
	OpMulF: {"rounding_mode", ieeeModes, nil},
	OpFma:  {"rounding_mode", ieeeModes, nil},
	OpDivF: {"rounding_mode", ieeeModes, []Int{RoundingApprox, RoundingFull}},
	OpSqrt: {"rounding_mode", ieeeModes, []Int{RoundingApprox}},
	OpExp:  {"rounding_mode", []Int{RoundingFull}, []Int{RoundingApprox}},
	OpTanH: {"rounding_mode", []Int{RoundingFull}, []Int{RoundingApprox}},
	OpDivI: {"rounding", []Int{RoundingZero, RoundingNegativeInf, RoundingPositiveInf}, nil},
	OpFToI: {"rounding_mode", []Int{RoundingNearestIntToZero}, nil},
	OpIToF: {"rounding_mode", []Int{RoundingNearestEven}, nil},
}

var ieeeModes = []Int{RoundingNearestEven, RoundingZero, RoundingNegativeInf, RoundingPositiveInf}

// checkRounding checks the mode of an operation in roundings.
func checkRounding(c *checker, o *Op) {
	r := roundings[o.Info.Opcode]
	mode := Int(o.Int(r.attr))
	switch elem := resultTile(o).Elem; {
	case slices.Contains(r.any, mode):
	case !slices.Contains(r.single, mode):
		c.modeError(r.attr, mode, slices.Concat(r.any, r.single))
	case elem != F32:
		c.fail("attribute %s: %s needs elements of f32, but found %v", r.attr, modeText(mode), elem)
	}
}

func (c *checker) modeError(attr string, mode Int, allowed []Int) {
	words := make([]string, len(allowed))
	for i, m := range allowed {
		words[i] = modeText(m)
	}
	c.fail("attribute %s: expected %s, but found %s", attr, names.Either(words), modeText(mode))
}

func modeText(m Int) string { return RoundingMode.Text(int64(m)) }

// checkFlush checks flush_to_zero, which only f32 has.
func checkFlush(c *checker, o *Op) {
	if e := resultTile(o).Elem; o.Int("flush_to_zero") != 0 && e != F32 {
		c.fail("attribute flush_to_zero needs elements of f32, but found %v", e)
	}
}

// hintRule is the value that a hint takes.
type hintRule struct {
	name   string
	truth  bool
	lo, hi int64
	power  bool // of two
	since  Version
}

var entryHints = []hintRule{
	{name: "num_cta_in_cga", lo: 1, hi: 16, power: true},
	{name: "occupancy", lo: 1, hi: 32},
	{name: "num_worker_warps_per_cta", lo: 4, hi: 8, power: true, since: V13_3},
}

var viewHints = []hintRule{{name: "latency", lo: 1, hi: 10}, {name: "allow_tma", truth: true}}

// pointerHints are those of accesses through pointers.
var pointerHints = viewHints[:1]

// hints checks optimisation hints: NVIDIA's tools drop what they do not know or take, without a word, so a slip is a
// warning here.
func (c *checker) hints(what string, hs Hints, rules []hintRule) {
	archs := map[string]bool{}
	for _, h := range hs {
		if !isIdent(h.Arch) {
			c.fail("%s: hints for %q: expected a name of letters, digits and underscores", what, h.Arch)
		} else if !knownArch(h.Arch) {
			c.warn("%s: hints for %q: expected default or sm_ and a number", what, h.Arch)
		}
		if archs[h.Arch] {
			c.fail("%s: hints for %q are given twice", what, h.Arch)
		}
		archs[h.Arch] = true
		names := map[string]bool{}
		for _, x := range h.Hints {
			if names[x.Name] {
				c.fail("%s: hint %q is given twice", what, x.Name)
			}
			names[x.Name] = true
			i := slices.IndexFunc(rules, func(r hintRule) bool { return r.name == x.Name })
			if !isIdent(x.Name) {
				c.fail("%s: hint %q: expected a name of letters, digits and underscores", what, x.Name)
				continue
			}
			if i < 0 {
				c.warn("%s: unknown hint %q here", what, x.Name)
				continue
			}
			if since := rules[i].since; since > c.version {
				c.fail("%s: hint %s: needs version %v, but the target is %v", what, x.Name, since, c.version)
			} else if err := rules[i].check(x.Value); err != "" {
				c.warn("%s: hint %s: %s", what, x.Name, err)
			}
		}
	}
}

// CheckEntryHint returns an error if a hint of an entry is wrong, for tools that read hints written by users.
func CheckEntryHint(h Hint, version Version) error {
	i := slices.IndexFunc(entryHints, func(r hintRule) bool { return r.name == h.Name })
	if i < 0 {
		return fmt.Errorf("unknown hint %q", h.Name)
	}
	if since := entryHints[i].since; since > version {
		return fmt.Errorf("needs version %v, but the target is %v", since, version)
	}
	if text := entryHints[i].check(h.Value); text != "" {
		return errors.New(text)
	}
	return nil
}

func knownArch(s string) bool {
	if s == "default" {
		return true
	}
	number, ok := strings.CutPrefix(s, "sm_")
	suffix := strings.TrimLeft(number, "0123456789")
	return ok && suffix != number && suffix == ""
}

// check says what is wrong with a value, "" for nothing.
func (r hintRule) check(v HintValue) string {
	switch {
	case v.Other != nil:
		return fmt.Sprintf("expected a number or truth value, but found a %T", v.Other)
	case r.truth && v.Elem != NoElem:
		return "expected a truth value, but found a number"
	case r.truth:
	case v.Elem != I32:
		return fmt.Sprintf("expected an i32, but found %v", v.Elem)
	case v.Int < r.lo || v.Int > r.hi:
		return fmt.Sprintf("expected %d to %d, but found %d", r.lo, r.hi, v.Int)
	case r.power && v.Int&(v.Int-1) != 0:
		return fmt.Sprintf("expected a power of two, but found %d", v.Int)
	}
	return ""
}

// isIdent reports whether a name can stand in a text without quotes.
func isIdent(name string) bool {
	return name != "" && strings.Trim(name, symbolLetters+"_0123456789") == ""
}
