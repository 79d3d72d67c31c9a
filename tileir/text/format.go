package text

import (
	"strings"
	"sync"

	"github.com/cutile-go/cutile/tileir"
)

// [tileir.Info.Format] is the text form of an operation after its mnemonic: text with these marks, each followed by a name
// of letters, digits and underscores, which the generator of the table checks:
//
//	$name        the values of an operand, with commas
//	#name        the types of an operand or result, with commas
//	@name        an attribute
//	~name:text~  rounding<value> unless the attribute has the value text
//	?name{...}   the rest in braces, if the operand or result has values, or the attribute a value that is not its default
//	!name        what directives has under that name
//
// Printer and parser follow the same formats. The doubled blanks are those of the real tool, which prints one before an
// attribute even where it prints nothing; the parser does not look at blanks.

// element is a piece of a format.
type element struct {
	mark      byte   // 0 for plain text
	text      string // plain text, or the value of ~ that is not printed
	name      string // of an operand, result, attribute or directive
	operand   int    // index in [tileir.Info.Operands], or -1
	attr      int    // index in [tileir.Info.Attrs], or -1
	result    int    // index in [tileir.Info.Results], or -1
	inside    []element
	directive *directive
}

// syntax gives the format of an operation in pieces.
func syntax(code int) []element { return syntaxes()[code] }

// syntaxes is built when a text is first printed or parsed.
var syntaxes = sync.OnceValue(func() [][]element {
	all := tileir.Infos()
	out := make([][]element, all[len(all)-1].Opcode+1)
	for _, in := range all {
		out[in.Opcode] = compileFormat(in, in.Format)
	}
	return out
})

func compileFormat(in *tileir.Info, f string) []element {
	var out []element
	for f != "" {
		i := strings.IndexAny(f, "$#@~?!")
		if i < 0 {
			i = len(f)
		}
		if i > 0 {
			out = append(out, element{text: f[:i]})
			f = f[i:]
			continue
		}
		e := element{mark: f[0], name: f[1 : 1+nameLen(f[1:])]}
		f = f[1+len(e.name):]
		e.operand, e.attr, e.result = in.OperandIndex(e.name), in.AttrIndex(e.name), in.ResultIndex(e.name)
		switch e.mark {
		case '~':
			end := strings.IndexByte(f[1:], '~') + 1
			e.text, f = f[1:end], f[end+1:]
		case '?':
			end := strings.IndexByte(f, '}')
			e.inside, f = compileFormat(in, f[1:end]), f[end+1:]
		case '!':
			if e.directive = directives[e.name]; e.directive == nil {
				panic("BUG: text: the format of " + in.Mnemonic + " has an unknown directive " + e.name)
			}
		}
		out = append(out, e)
	}
	return out
}

func nameLen(s string) int {
	for i, c := range []byte(s) {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return i
		}
	}
	return len(s)
}

// elements prints an operation as its format says.
func (p *printer) elements(o *tileir.Op, es []element) {
	for i := range es {
		e := &es[i]
		switch e.mark {
		case 0:
			p.text(e.text)
		case '$':
			p.values(o.Group(e.operand))
		case '#':
			p.types(o.Named(e.name))
		case '@':
			p.attr(o, e.attr)
		case '~':
			p.rounding(o, e.attr, e.text)
		case '?':
			if e.given(o) {
				p.elements(o, e.inside)
			}
		case '!':
			e.directive.print(p, o)
		}
	}
}

func (p *printer) rounding(o *tileir.Op, i int, unless string) {
	a := &o.Info.Attrs[i]
	v, ok := o.Attrs[i].(tileir.Int)
	if !ok {
		v = tileir.Int(a.Default)
	}
	if s := a.Enum.Text(int64(v)); s != unless {
		p.text("rounding<", s, ">")
	}
}

// given reports whether an operand or result has values, or an attribute a value that is not its default.
func (e *element) given(o *tileir.Op) bool {
	switch {
	case e.operand >= 0:
		return len(o.Group(e.operand)) > 0
	case e.attr >= 0:
		return o.Attrs[e.attr] != nil && !(o.Info.Attrs[e.attr].IsDefault(o.Attrs[e.attr]))
	}
	return len(o.Named(e.name)) > 0
}
