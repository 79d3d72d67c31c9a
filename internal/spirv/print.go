package spirv

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

// String gives the module as spirv-dis --raw-id does.
func (m *Module) String() string {
	p := newPrinter(m)
	var b strings.Builder
	tool, ok := p.g.Tools[m.Generator>>16]
	if !ok {
		tool = fmt.Sprintf("Unknown(%d)", m.Generator>>16)
	}
	fmt.Fprintf(&b, "; SPIR-V\n; Version: %v\n; Generator: %s; %d\n; Bound: %d\n; Schema: %d\n",
		m.Version, tool, m.Generator&0xffff, m.Bound, m.Schema)
	for i := range m.Instrs {
		in := &m.Instrs[i]
		if in.Result != 0 {
			fmt.Fprintf(&b, "%12s = ", "%"+strconv.Itoa(int(in.Result)))
		} else {
			b.WriteString(strings.Repeat(" ", 15))
		}
		b.WriteString(p.instr(in))
		b.WriteByte('\n')
	}
	return b.String()
}

// printer writes instructions.
type printer struct {
	g        *grammar.Grammar
	literals map[ID]literal
	sets     map[ID]*grammar.Set
}

// newPrinter learns what numbers and extended instructions of a module mean.
func newPrinter(m *Module) *printer {
	p := &printer{g: grammar.Get(), literals: map[ID]literal{}, sets: map[ID]*grammar.Set{}}
	for i := range m.Instrs {
		in := &m.Instrs[i]
		if l, ok := literalOf(in); ok {
			p.literals[in.Result] = l
		}
		if in.Op == OpExtInstImport {
			p.sets[in.Result], _ = p.g.Set(in.Operands[0].Text())
		}
	}
	return p
}

// line gives an instruction with its result.
func (p *printer) line(in *Instr) string {
	if in.Result == 0 {
		return p.instr(in)
	}
	return fmt.Sprintf("%%%d = %s", in.Result, p.instr(in))
}

// instr gives an instruction without its result.
func (p *printer) instr(in *Instr) string {
	words := []string{in.Op.String()}
	if in.Type != 0 {
		words = append(words, fmt.Sprintf("%%%d", in.Type))
	}
	for i := range in.Operands {
		words = append(words, p.operand(&in.Operands[i]))
	}
	return strings.Join(words, " ")
}

func (p *printer) operand(o *Operand) string {
	switch o.Kind.Category {
	case grammar.ID:
		return fmt.Sprintf("%%%d", o.ID())
	case grammar.Value:
		if e, ok := o.Kind.Find(o.Word()); ok {
			return e.Name
		}
	case grammar.Bits:
		return mask(o.Kind, o.Word())
	}
	switch o.Kind.Name {
	case "LiteralString":
		return quote(o.Text())
	case "LiteralSpecConstantOpInteger":
		return strings.TrimPrefix(Op(o.Word()).String(), "Op")
	case "LiteralExtInstInteger":
		if set := p.sets[o.Set]; set != nil {
			if op, ok := set.Op(o.Word()); ok {
				return op.Name
			}
		}
	case "LiteralFloat":
		return floatText(uint64(o.Word()), literal{32, floatForm})
	}
	if o.Type != 0 {
		return numberText(o.Bits(), p.literals[o.Type])
	}
	return strconv.FormatUint(o.Bits(), 10)
}

// mask gives the names of bits, by rising bit.
func mask(k *grammar.Kind, value uint32) string {
	if value == 0 {
		if e, ok := k.Find(0); ok {
			return e.Name
		}
		return "0"
	}
	var names []string
	for rest := value; rest != 0; rest &= rest - 1 {
		bit := uint32(1) << bits.TrailingZeros32(rest)
		if e, ok := k.Find(bit); ok {
			names = append(names, e.Name)
		} else {
			names = append(names, fmt.Sprintf("%#x", bit))
		}
	}
	return strings.Join(names, "|")
}

// quote puts a string in quotes, with a backslash before quotes and backslashes.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
