package ptx

import (
	"bytes"
	"fmt"
	gotoken "go/token"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// byteOrderMark is what editors of some systems write before a text.
const byteOrderMark = "\ufeff"

// Read gives the kernels of a text of PTX, of any version and target. Functions are inlined where they are called;
// variables in shared memory become parts of "smem", those of a thread of "local". A kernel without .reqntid has the
// block that .maxntid says, or none: whoever runs it says how large it is. The module has no host function, and how much
// dynamic shared memory a kernel was made for is not in the text: Shared has the bytes of its variables alone. A register
// that is read where nothing may have been written has [Unwritten] at the kernel's start. Mistakes are of type *[Error].
func Read(text []byte) (m *simt.Module, err error) {
	r, err := newReader(text)
	if err != nil {
		return nil, err
	}
	defer r.catch(&err)
	m = r.module() // nil after a mistake
	return m, nil
}

// ReadKernels is [Read] for whoever can do with a part of the kernels: those whose bodies have mistakes are not in the module, and failed has the
// mistake of each by its name. Functions that no kernel calls are not looked at.
func ReadKernels(text []byte) (m *simt.Module, failed map[string]error, err error) {
	r, err := newReader(text)
	if err != nil {
		return nil, nil, err
	}
	defer r.catch(&err)
	r.failed = map[string]error{}
	m = r.module()
	return m, r.failed, nil
}

func newReader(text []byte) (*reader, error) {
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		return nil, &Error{1, 1, "the text begins with a byte order mark, but PTX is ASCII: save it without one"}
	}
	return &reader{
		tokens: lex(string(text)), texts: map[string]string{}, files: map[int]string{},
		vars: map[string]variable{}, funcs: map[string]*function{}, inside: map[int]entity{},
	}, nil
}

// catch is deferred by what reads: it turns the panic of a mistake into an error.
func (r *reader) catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	default:
		panic(p)
	}
}

// reader is the state of [Read] and [Signatures]. Its methods panic with an *Error, which these catch.
type reader struct {
	tokens []token
	next   int
	m      *simt.Module
	texts  map[string]string // the global texts
	files  map[int]string
	vars   map[string]variable // of the module
	funcs  map[string]*function
	bodies []*kernelBody
	failed map[string]error // the mistakes of kernels, where the others are wanted nevertheless

	regs, labels int // of all kernels
	called       int // tokens of functions that were read at calls

	registersAt []int // the tokens of registers that are declared outside of functions
	samplers    bool  // textures have no samplers of their own
	wide        bool  // the text's target loads and stores 32 bytes at once
	synced      bool  // the text's version and target have no votes and shuffles of the active lanes

	// Of the present kernel.
	f       *simt.Func
	scopes  []*scope
	pos     gotoken.Position
	line    int // of the text
	local   int // bytes of local memory that are taken
	shared  int // bytes of the variables in shared memory
	dynamic int // where dynamic shared memory begins
	grows   bool
	seen    map[string]entity // the module's variables in shared and local memory, by name
	inside  map[int]entity    // the variables in global memory that functions declare, by token
	calls   []call
}

// kernelBody is a kernel whose body is to be read, from a token on.
type kernelBody struct {
	f      *simt.Func
	params map[string]entity
	start  int
}

// variable is a variable of the module.
type variable struct {
	entity
	align  int
	extern bool // dynamic shared memory
}

// The limits of what Read takes, so that a few bytes of text cannot ask for all memory.
const (
	maxRegs   = 1 << 22
	maxLabels = 1 << 22
	maxBytes  = 1 << 30
	maxInit   = 1 << 26 // bytes of all variables that have first values
	maxCalled = 1 << 20 // tokens of all functions, counted once for each call
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
	c, ok := literal(t.text)
	if n := int(c.bits); !ok || c.float != 0 || n < low || n > high {
		r.unexpected(t, fmt.Sprintf("a number from %d to %d", low, high))
	}
	return int(c.bits)
}

// count takes a constant expression with a value from low to high.
func (r *reader) count(low, high int64) int64 {
	t := r.peek()
	c := r.constant()
	if n := int64(c.bits); c.float != 0 || n < low || n > high {
		r.fail(t, "expected a number from %d to %d, found %d", low, high, n)
	}
	return int64(c.bits)
}

// isName reports whether a word is an identifier.
func isName(word string) bool {
	return word != "" && isWord(word[0]) && !isDigit(word[0]) && !strings.ContainsAny(word, ".:")
}

// name takes an identifier.
func (r *reader) name() token {
	t := r.take()
	if !isName(t.text) {
		r.unexpected(t, "a name")
	}
	return t
}

// skipLine skips the rest of a line.
func (r *reader) skipLine() {
	for line := r.tokens[r.next-1].line; r.peek().text != "" && r.peek().line == line; {
		r.take()
	}
}

// skip takes tokens up to a certain one.
func (r *reader) skip(end string) {
	for t := r.take(); t.text != end; t = r.take() {
		if t.text == "" {
			r.unexpected(t, strconv.Quote(end))
		}
	}
}

// skipBody takes tokens up to the brace that closes the one that was taken.
func (r *reader) skipBody() {
	for depth := 1; depth > 0; {
		switch t := r.take(); t.text {
		case "{":
			depth++
		case "}":
			depth--
		case "":
			r.unexpected(t, "an instruction or }")
		}
	}
}

// quoted takes a text in quotes.
func (r *reader) quoted() string {
	t := r.take()
	if len(t.text) < 2 || t.text[0] != '"' || t.text[len(t.text)-1] != '"' {
		r.unexpected(t, "a quoted name")
	}
	return t.text[1 : len(t.text)-1]
}

// outside finds what a name stands for outside of functions.
func (r *reader) outside(name string) (entity, bool) {
	v, ok := r.vars[name]
	if !ok || v.space != "shared" && v.space != "local" || r.f == nil {
		return v.entity, ok
	}
	if v.extern {
		r.grows = true
		v.off = int64(r.dynamic)
		return v.entity, true
	}
	e, ok := r.seen[name]
	if !ok {
		if e = v.entity; e.space == "local" {
			e = r.onStack(v)
		} else {
			e.off = r.place(&r.shared, e.size, v.align)
		}
		r.seen[name] = e
	}
	return e, true
}

// place finds room for some bytes.
func (r *reader) place(taken *int, size int64, align int) int64 {
	at := (*taken + align - 1) / align * align
	if int64(at)+size > maxBytes {
		r.fail(r.peek(), "the variables have more than %d bytes", maxBytes)
	}
	*taken = at + int(size)
	return int64(at)
}
