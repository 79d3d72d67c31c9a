package ptx

import (
	"fmt"
	gotoken "go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// Read gives the kernels of a text that Write made; comments and spaces may differ. The module has no host function, and
// how much dynamic shared memory a kernel was made for is not in the text. Mistakes are of type *[Error].
func Read(text []byte) (m *simt.Module, err error) {
	r := &reader{tokens: lex(string(text)), texts: map[string]string{}, files: map[int]string{}}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error:
			m, err = nil, p
		default:
			panic(p)
		}
	}()
	return r.module(), nil
}

// reader is the state of Read. Its methods panic with an *Error, which Read catches.
type reader struct {
	tokens []token
	next   int
	texts  map[string]string // the global texts
	files  map[int]string

	// Of the present kernel.
	f     *simt.Func
	base  [4]int // the first register of each class
	count [4]int
	pos   gotoken.Position
}

// The limits of what Read takes, so that a few bytes of text cannot ask for all memory.
const (
	maxRegs   = 1 << 22
	maxLabels = 1 << 22
	maxBytes  = 1 << 30
)

func (r *reader) peek() token { return r.tokens[r.next] }

// take gives the next token; at the end of the text it stays there.
func (r *reader) take() token {
	t := r.tokens[r.next]
	if t.text != "" {
		r.next++
	}
	return t
}

// fail ends reading with a mistake at a token.
func (r *reader) fail(t token, format string, args ...any) {
	panic(&Error{t.line, t.column, fmt.Sprintf(format, args...)})
}

// unexpected ends reading at a token that should be another one.
func (r *reader) unexpected(t token, want string) {
	found := strconv.Quote(t.text)
	if t.text == "" {
		found = "the end"
	}
	r.fail(t, "expected %s, found %s", want, found)
}

// accept takes a token if it is the next one.
func (r *reader) accept(text string) bool {
	if r.peek().text == text {
		r.take()
		return true
	}
	return false
}

// expect takes tokens, each of which must be the next one.
func (r *reader) expect(texts ...string) {
	for _, want := range texts {
		if t := r.take(); t.text != want {
			r.unexpected(t, strconv.Quote(want))
		}
	}
}

// number takes a number from low to high.
func (r *reader) number(low, high int) int {
	t := r.take()
	n, err := strconv.Atoi(t.text)
	if err != nil || n < low || n > high {
		r.unexpected(t, fmt.Sprintf("a number from %d to %d", low, high))
	}
	return n
}

// name takes an identifier.
func (r *reader) name() string {
	t := r.take()
	if t.text == "" || !isWord(t.text[0]) || strings.ContainsAny(t.text, ".%:") || t.text[0] >= '0' && t.text[0] <= '9' {
		r.unexpected(t, "a name")
	}
	return t.text
}

func (r *reader) module() *simt.Module {
	m := &simt.Module{}
	r.expect(".version")
	r.take()
	r.expect(".target")
	if t := r.take(); !slices.Contains(Targets(), t.text) {
		r.unexpected(t, "a target")
	}
	r.expect(".address_size", "64")
	for {
		switch t := r.take(); t.text {
		case "":
			return m
		case ".file":
			n := r.number(1, maxBytes)
			t := r.take()
			if len(t.text) < 2 || t.text[0] != '"' || t.text[len(t.text)-1] != '"' {
				r.unexpected(t, "a quoted name")
			}
			r.files[n] = t.text[1 : len(t.text)-1]
		case ".extern":
			r.extern()
		case ".global":
			r.global()
		case ".visible":
			r.expect(".entry")
			r.kernel(m)
		default:
			r.unexpected(t, ".file, .extern, .global, .visible .entry or the end")
		}
	}
}

// extern takes a declaration that Write makes.
func (r *reader) extern() {
	for _, decl := range []string{vprintfDecl, assertDecl, sharedDecl} {
		tokens := lex(decl)[1:] // without .extern
		tokens = tokens[:len(tokens)-1]
		if r.follows(tokens) {
			r.next += len(tokens)
			return
		}
	}
	r.unexpected(r.peek(), "the declaration of vprintf, __assertfail or smem")
}

// follows reports whether certain tokens come next.
func (r *reader) follows(tokens []token) bool {
	if len(tokens) > len(r.tokens)-r.next {
		return false
	}
	for i, t := range tokens {
		if r.tokens[r.next+i].text != t.text {
			return false
		}
	}
	return true
}

// global takes a text.
func (r *reader) global() {
	r.expect(".align", "1", ".b8")
	t := r.peek()
	name := r.name()
	if _, twice := r.texts[name]; twice {
		r.fail(t, "%s is declared a second time", name)
	}
	r.expect("[")
	n := r.number(1, maxBytes)
	r.expect("]", "=", "{")
	var b []byte
	for {
		at := r.peek()
		c := r.number(0, 255)
		b = append(b, byte(c))
		if !r.accept(",") {
			if c != 0 || len(b) != n {
				r.fail(at, "expected %d bytes of which the last is 0, found %d", n, len(b))
			}
			break
		}
		if c == 0 {
			r.fail(at, "the text has a 0 before its end")
		}
	}
	r.expect("}", ";")
	r.texts[name] = string(b[:n-1])
}

// kernel takes an entry.
func (r *reader) kernel(m *simt.Module) {
	f := &simt.Func{}
	m.Kernels = append(m.Kernels, f)
	r.f, r.base, r.count, r.pos = f, [4]int{}, [4]int{}, gotoken.Position{}
	f.Name = r.name()
	r.expect("(")
	for !r.accept(")") {
		if len(f.Params) > 0 {
			r.expect(",")
		}
		f.Params = append(f.Params, r.param())
	}
	for {
		switch t := r.take(); t.text {
		case ".reqntid":
			f.Block = r.triple()
		case ".minnctapersm":
			f.MinBlocks = r.number(1, maxBytes)
		case ".reqnctapercluster":
			f.Cluster = r.triple()
		case "{":
			r.body()
			return
		default:
			r.unexpected(t, ".reqntid, .minnctapersm, .reqnctapercluster or {")
		}
	}
}

func (r *reader) triple() (d [3]int) {
	for i := range d {
		if i > 0 {
			r.expect(",")
		}
		d[i] = r.number(1, maxBytes)
	}
	return d
}

func (r *reader) param() simt.Param {
	r.expect(".param")
	if !r.accept(".align") {
		t := r.take()
		typ, ok := strings.CutPrefix(t.text, ".")
		if !ok || simt.TypeBits(typ) < 8 {
			r.unexpected(t, "a type")
		}
		return simt.Param{Name: r.name(), Type: typ}
	}
	p := simt.Param{Type: "b8", Align: r.number(1, 128)}
	r.expect(".b8")
	p.Name = r.name()
	r.expect("[")
	p.Bytes = r.number(1, maxBytes)
	r.expect("]")
	return p
}
