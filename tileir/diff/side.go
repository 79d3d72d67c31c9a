package diff

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// side is one of two entries that are compared.
type side struct {
	lines   map[*tileir.Op]string    // the text of each operation
	origin  map[*tileir.Value]string // where each value comes from, in words
	shallow map[*tileir.Op]uint64    // what an operation is, its operands aside
	deep    map[*tileir.Op]uint64    // what it computes
	values  map[*tileir.Value]uint64
}

var hashSeed = maphash.MakeSeed()

func hashOf(parts ...any) uint64 { return maphash.String(hashSeed, fmt.Sprintf("%#v", parts)) }

func newSide(e *tileir.Entry) *side {
	s := &side{origin: map[*tileir.Value]string{}, lines: map[*tileir.Op]string{}, values: map[*tileir.Value]uint64{},
		shallow: map[*tileir.Op]uint64{}, deep: map[*tileir.Op]uint64{}}
	for i, p := range e.Params {
		s.origin[p] = fmt.Sprintf("parameter %d", i)
		s.values[p] = hashOf("parameter", i, p.Type.String())
	}
	s.block(e.Body, "")
	lines, ops := text.Lines(e)
	for o, i := range ops {
		s.lines[o] = strings.TrimSpace(strings.TrimSuffix(lines[i], "{"))
	}
	return s
}

// block gives hashes to what is in a block, and one to the block itself.
func (s *side) block(b *tileir.Block, path string) uint64 {
	var all []uint64
	for i, a := range b.Args {
		s.origin[a] = fmt.Sprintf("argument %d of region %s", i, strings.TrimSuffix(path, "."))
		s.values[a] = hashOf("argument", strings.Count(path, "."), i, a.Type.String())
	}
	for i, o := range b.Ops {
		all = append(all, s.op(o, fmt.Sprint(path, i)))
	}
	return hashOf(all)
}

func (s *side) op(o *tileir.Op, path string) uint64 {
	var attrs []string
	for i := range o.Attrs {
		attrs = append(attrs, attrKey(&o.Info.Attrs[i], o.Attrs[i]))
	}
	var groups []int
	for i := range o.Info.Operands {
		groups = append(groups, len(o.Group(i)))
	}
	s.shallow[o] = hashOf(o.Info.Mnemonic, attrs, groups, typesText(o.Operands), typesText(o.Results))
	var in, inside []uint64
	for _, v := range o.Operands {
		in = append(in, s.values[v])
	}
	for i, r := range o.Regions {
		if !absent(r) {
			inside = append(inside, uint64(i), s.block(r, fmt.Sprintf("%s.%d.", path, i)))
		}
	}
	s.deep[o] = hashOf(s.shallow[o], in, inside)
	for i, r := range o.Results {
		s.origin[r] = fmt.Sprintf("%s (%s)", path, o.Info.Mnemonic)
		if len(o.Results) > 1 {
			s.origin[r] = fmt.Sprintf("result %d of %s", i, s.origin[r])
		}
		s.values[r] = hashOf(s.deep[o], i)
	}
	return s.deep[o]
}

// line is the text of an operation; that of an empty terminator is left out of a module's.
func (s *side) line(o *tileir.Op) string {
	if line, ok := s.lines[o]; ok {
		return line
	}
	return o.Info.Mnemonic
}

// attrKey is an attribute as text; equal ones have equal text, one that is not given that of its default.
func attrKey(info *tileir.AttrInfo, a tileir.Attr) string {
	if a == nil && info.HasDefault && info.Coding != tileir.BoolArrayAttr {
		a = tileir.Int(info.Default)
	}
	switch v := a.(type) {
	case nil:
		return "none"
	case tileir.Int:
		return info.Text(int64(v))
	case tileir.Bool:
		if v {
			return info.Text(1)
		}
		return info.Text(0)
	case tileir.Bools:
		if !slices.Contains(v, true) {
			return "none"
		}
	case tileir.String:
		return fmt.Sprintf("%q", string(v))
	case *tileir.Constant:
		return constantKey(v)
	case tileir.Hints:
		return hintsText(v)
	case tileir.DivBy:
		return fmt.Sprintf("div_by<%d%s%s>", v.Divisor, optional(", every ", v.Every), optional(", along ", v.Along))
	case tileir.Bounded:
		return fmt.Sprintf("bounded<%s, %s>", orUnknown(v.Lower), orUnknown(v.Upper))
	}
	return fmt.Sprint(a)
}

func optional(before string, v *int64) string {
	if v == nil {
		return ""
	}
	return before + fmt.Sprint(*v)
}

func orUnknown(v *int64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprint(*v)
}

// constantKey is a constant as text, whether all its elements are given or one for all.
func constantKey(c *tileir.Constant) string {
	if bits, splat := c.Splat(); splat {
		return fmt.Sprintf("%v all %#x", c.Type, bits)
	}
	return fmt.Sprintf("%v %x", c.Type, c.Data)
}

// hintsText are hints in order; an architecture without hints says nothing.
func hintsText(hs tileir.Hints) string {
	var words []string
	for _, h := range hs {
		for _, x := range h.Hints {
			value := fmt.Sprint(x.Value.Int)
			if x.Value.Elem == tileir.NoElem {
				value = fmt.Sprint(x.Value.Bool)
			}
			words = append(words, h.Arch+" "+x.Name+"="+value)
		}
	}
	slices.Sort(words)
	if words == nil {
		return "none"
	}
	return strings.Join(words, ", ")
}
