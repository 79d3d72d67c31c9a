package access

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// Print writes the facts about the entry as text, with the names of values that package text prints.
func (in *Info) Print(w io.Writer) error {
	p := &printer{in: in, names: text.Names(in.entry)}
	for _, section := range []struct {
		title string
		list  func()
	}{
		{"accesses", p.accesses}, {"accesses that may meet, where one writes", p.meetings}, {"products", p.products},
		{"elements that are only moved", p.sources}, {"elements that are the same along a dimension", p.repeated}, {"last uses", p.lastUses},
	} {
		p.title = section.title
		section.list()
	}
	_, err := io.WriteString(w, strings.TrimPrefix(p.out.String(), "\n"))
	return err
}

type printer struct {
	in    *Info
	names map[*tileir.Value]string
	out   strings.Builder
	title string // of a section that has no line yet
}

func (p *printer) line(indent int, format string, args ...any) {
	if p.title != "" {
		fmt.Fprintf(&p.out, "\n%s:\n", p.title)
		p.title = ""
	}
	fmt.Fprintf(&p.out, strings.Repeat("  ", indent)+format+"\n", args...)
}

// op names an operation with its first result, if it has one.
func (p *printer) op(o *tileir.Op) string {
	if len(o.Results) == 0 {
		return o.Info.Mnemonic
	}
	return p.names[o.Results[0]] + " = " + o.Info.Mnemonic
}

func (p *printer) accesses() {
	for _, a := range p.in.accesses {
		p.line(1, "%s", p.op(a.Op))
		p.line(2, "%s", p.what(a))
		for d, dim := range a.Dims {
			p.line(2, "i%d: %s", d, p.dim(a, dim))
		}
		if len(a.Gathered.Terms) > 0 {
			p.line(2, "gathered: %s", p.form(a.Gathered))
		}
		for _, b := range a.Mask.Bounds {
			p.line(2, "where %s", p.bound(b))
		}
		for _, v := range a.Mask.Rest {
			p.line(2, "where %s", p.names[v])
		}
	}
}

// what says which memory an access touches, and where its tile begins.
func (p *printer) what(a *Access) string {
	words := []string{"pointers that are known only when the kernel runs"}
	if a.Base != nil {
		words[0] = p.names[underPromises(a.Base)] + " + " + p.form(a.Start)
	} else if a.View {
		words[0] = "a view that is known only when the kernel runs"
	}
	words[0] += ", " + a.Elem.String()
	if !a.Writes && p.in.ReadOnly(a) {
		words = append(words, "read only")
	}
	if size := int64(a.Elem.Bytes()); a.Align > size {
		words = append(words, fmt.Sprintf("rows aligned to %d bytes", a.Align))
	}
	return strings.Join(words, ", ")
}

// stepWords are the kinds of steps.
var stepWords = [...]string{"the same", "contiguous", "stride", "stride", "gathered"}

func (p *printer) dim(a *Access, d Dim) string {
	s := fmt.Sprintf("%d, %s", d.Size, stepWords[d.Step])
	if d.Step == Strided || d.Step == Dynamic {
		s += " " + p.form(d.Stride)
	}
	switch {
	case !a.View:
	case d.Inside:
		s += ", inside"
	default:
		s += fmt.Sprintf(", from %s of %s", p.form(d.From), p.form(d.Extent))
	}
	return s
}

func (p *printer) meetings() {
	all := p.in.accesses
	for i, a := range all {
		for _, b := range all[i:] {
			if (a.Writes || b.Writes) && p.in.MayTouch(a, b) {
				p.line(1, "%s", p.meeting(a, b))
			}
		}
	}
}

func (p *printer) meeting(a, b *Access) string {
	if a == b {
		return p.op(a.Op) + " and itself in another block or iteration"
	}
	s := p.op(a.Op) + " and " + p.op(b.Op)
	switch {
	case p.in.Ordered(a, b):
		return s + ", in this order"
	case p.in.Ordered(b, a):
		return s + ", the second before the first"
	}
	return s + ", in any order"
}

func (p *printer) products() {
	for _, m := range p.in.Products() {
		p.line(1, "%s: %d by %d by %d%s", p.op(m.Op), m.Size[1], m.Size[2], m.Size[3], batches(m.Size[0]))
		if m.Why != "" {
			p.line(2, "not accumulated by a loop: %s", m.Why)
		} else {
			o := m.Loop.Operands
			p.line(2, "accumulated by %s for %s from %s to %s, step %s", p.names[m.Loop.Results[m.Carried]], p.names[m.Loop.Regions[0].Args[0]],
				p.form(p.in.Form(o[0])), p.form(p.in.Form(o[1])), p.form(p.in.Form(o[2])))
		}
		p.line(2, "from %s%s", p.names[m.Init], map[bool]string{true: ", which is zero"}[m.Zero])
		for i := range m.Factors {
			p.line(2, "%s: %s", names[i], p.factor(&m.Factors[i]))
		}
		for _, o := range m.Others {
			p.line(2, "beside it: %s", p.op(o))
		}
	}
}

func batches(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", %d times", n)
}

func (p *printer) factor(f *Factor) string {
	s := p.names[f.Value]
	if f.Load != nil && f.Load.Op.Results[0] != f.Value {
		s += " from " + p.names[f.Load.Op.Results[0]] + p.strides(f.From, f.Value)
	}
	for _, o := range f.Via {
		s += ", " + o.Info.Mnemonic
	}
	switch {
	case f.Still:
		s += ", the same in all iterations"
	case f.Why != "":
		s += ", which " + f.Why
	case f.Joined:
		s += ", one part after the other along k"
	default:
		s += ", moves on by " + p.form(f.Advance)
	}
	return s
}

// each visits the results of all operations.
func (p *printer) each(visit func(v *tileir.Value)) {
	for o := range p.in.entry.All() {
		for _, v := range o.Results {
			visit(v)
		}
	}
}

func (p *printer) sources() {
	p.each(func(v *tileir.Value) {
		list := p.in.Source(v)
		if t, ok := v.Type.(*tileir.TileType); !ok || t.Size() == 1 || len(list) == 1 && list[0].Value == v {
			return
		}
		for _, s := range list {
			p.line(1, "%s is %s%s%s", p.names[v], p.names[s.Value], p.bits(s, v), p.when(s))
		}
	})
}

func (p *printer) repeated() {
	p.each(func(v *tileir.Value) {
		t, ok := v.Type.(*tileir.TileType)
		if !ok || v.Def.Info.Opcode == tileir.OpConstant {
			return
		}
		var dims []string
		for d, n := range t.Shape {
			if n > 1 && !p.in.Varies(v).Has(d) {
				dims = append(dims, "i"+strconv.Itoa(d))
			}
		}
		if len(dims) > 0 {
			p.line(1, "%s along %s", p.names[v], strings.Join(dims, ", "))
		}
	})
}

func (p *printer) lastUses() {
	p.each(func(v *tileir.Value) {
		if t, ok := v.Type.(*tileir.TileType); ok && t.Size() > 1 {
			if last := p.in.LastUse(v); last != nil {
				p.line(1, "%s: %s", p.names[v], p.op(last))
			}
		}
	})
}
