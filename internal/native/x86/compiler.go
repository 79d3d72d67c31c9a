package x86

import (
	"fmt"
	"sync"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// Compiler makes code of functions.
type Compiler struct {
	asm   amd64.Assembler
	level *level
	list  []Function
}

// Function says where a function lies in the code, and how many words of 64 bits its frame has.
type Function = isel.Function

// Unsupported is the error for an instruction that a level has no code for.
type Unsupported = isel.Unsupported

// New makes a compiler for a level of amd64.
func New(l host.Level) (*Compiler, error) {
	lv := levels[l]
	if lv == nil {
		return nil, fmt.Errorf("x86: there is no code for level %s", l)
	}
	c := compilers.Get().(*Compiler)
	c.level, c.asm.Allowed = lv, lv.allowed()
	return c, nil
}

// compilers are those that were released: they have memory.
var compilers = sync.Pool{New: func() any { return &Compiler{} }}

// Release lets a later compiler use the memory of this one, which is not used any more, and neither is the code that it gave.
func (c *Compiler) Release() {
	c.asm.Record = false
	c.asm.Reset()
	c.list = nil
	compilers.Put(c)
}

// Record makes the compiler keep what [Compiler.Listing] prints.
func (c *Compiler) Record() { c.asm.Record = true }

// Listing is the text of the code, an instruction a line. A line that begins with # says which instruction of the function
// the next ones come from, or what that was made of.
func (c *Compiler) Listing() []amd64.Line { return c.asm.Lines() }

// codes are functions on virtual registers whose memory serves again: they are by far the most that a compiler needs.
var codes = sync.Pool{New: func() any { return mach.NewCode(moveOps, constOps) }}

// Add compiles a function and gives its number. After an error the compiler is as it was before.
func (c *Compiler) Add(f *vec.Func) (int, error) {
	code := codes.Get().(*mach.Code)
	defer codes.Put(code)
	s := newSelector(c.level, f, code)
	if err := s.run(); err != nil {
		return 0, err
	}
	a, err := mach.Allocate(s.code, c.level.free())
	if err != nil {
		return 0, err
	}
	words := f.Frame
	if s.roomUsed {
		words += roomBytes / 8
	}
	e := &emitter{asm: &c.asm, labels: make([]amd64.Label, code.Labels), state: f.State, stream: f.Streams()}
	emit := e.emit
	if c.asm.Record {
		emit = isel.Annotate(f, c.asm.Note, emit)
	}
	slots := &spillArea{c.level.slotOps(), 8 * words, bytesOf(c.level.view)}
	c.asm.Align(32)
	start := c.asm.Len()
	var again amd64.Label
	if s.suspends {
		again = e.enter()
	}
	mach.Emit(s.code, a, slots, emit)
	words += a.Slots * slots.size / 8
	if s.suspends {
		kept := &spillArea{slots.ops, 8 * words, slots.size}
		words += e.finish(again, kept) * slots.size / 8
	}
	c.list = append(c.list, Function{Name: f.Name, Offset: start, Size: c.asm.Len() - start, Words: words})
	return len(c.list) - 1, nil
}

// Finish gives the code and its functions, by number.
func (c *Compiler) Finish() ([]byte, []Function, error) {
	code, err := c.asm.Finish()
	if err != nil {
		return nil, nil, fmt.Errorf("BUG: x86: %w", err)
	}
	return code, c.list, nil
}
