package neon

import (
	"fmt"
	"sync"

	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// Compiler makes code of functions.
type Compiler struct {
	asm  arm64.Assembler
	pool int // bytes of constants behind the code, at most
	list []Function
}

// Function says where a function lies in the code, and how many words of 64 bits its frame has.
type Function = isel.Function

// Unsupported is the error for an instruction that there is no code for.
type Unsupported = isel.Unsupported

// TooLarge is the error for code that branches and loads of constants do not reach across: of one function, or of all
// functions of a compiler.
type TooLarge struct {
	Name  string
	Bytes int // at most
}

// Error says how large the code is.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("neon: with function %s the code may have %d bytes, and branches reach %d", e.Name, e.Bytes, reach)
}

// reach is how far conditional branches and loads of constants reach.
const reach = 1 << 20

// New makes a compiler for a level of arm64.
func New(l host.Level) (*Compiler, error) {
	if l != host.LevelNEON {
		return nil, fmt.Errorf("neon: there is no code for level %s", l)
	}
	return compilers.Get().(*Compiler), nil
}

// compilers are those that were released: they have memory.
var compilers = sync.Pool{New: func() any { return &Compiler{} }}

// Release lets a later compiler use the memory of this one, which is not used any more, and neither is the code that it gave.
func (c *Compiler) Release() {
	c.asm.Record = false
	c.asm.Reset()
	c.list, c.pool = nil, 0
	compilers.Put(c)
}

// Record makes the compiler keep what [Compiler.Listing] prints.
func (c *Compiler) Record() { c.asm.Record = true }

// Listing is the text of the code, an instruction a line. A line that begins with // says which instruction of the function
// the next ones come from, or what that was made of.
func (c *Compiler) Listing() []arm64.Line { return c.asm.Lines() }

// free gives the registers that values may take: all but that of the frame, X17, and those that belong to Go.
func free() [mach.Files]mach.Set {
	ints := mach.Of(0, 31) &^ (1<<0 | 1<<17 | 1<<18 | 1<<28 | 1<<29 | 1<<30)
	return [mach.Files]mach.Set{mach.Int: ints, mach.Vector: mach.Of(0, 32)}
}

// codes are used again, since their memory is large.
var codes = sync.Pool{New: func() any {
	return mach.NewCode([]int32{moveInt, moveVector}, []int32{setInt, setVector})
}}

// Add compiles a function and gives its number. After an error the compiler is as it was before.
func (c *Compiler) Add(f *vec.Func) (int, error) {
	code := codes.Get().(*mach.Code)
	defer codes.Put(code)
	s := &selector{isel.New(target, f, code)}
	if err := s.Run(s.instr); err != nil {
		return 0, err
	}
	s.Add(leave, isel.Imm(0))
	a, err := mach.Allocate(code, free())
	if err != nil {
		return 0, err
	}
	slots := slotsBehind(f.Frame)
	most := 0 // registers that a stop keeps
	if s.Suspends {
		for _, set := range free() {
			most += set.Len()
		}
	}
	words := slots.words(f.Frame, a.Slots+most)
	bytes, pool := room(code, a, words, most)
	if all := c.asm.Len() + c.pool + bytes + pool; all > reach {
		return 0, &TooLarge{f.Name, all}
	}
	c.pool += pool
	e := &emitter{asm: &c.asm, labels: make([]arm64.Label, code.Labels), state: f.State}
	c.asm.Align(functionAlign)
	start := c.asm.Len()
	emit := e.emit
	if c.asm.Record {
		emit = isel.Annotate(f, c.asm.Note, emit)
	}
	var again arm64.Label
	if s.Suspends {
		again = e.enter()
	}
	mach.Emit(code, a, slots, emit)
	if s.Suspends {
		e.finish(again, slots+spillArea(a.Slots*slotBytes))
	}
	if got := c.asm.Len() - start; got > bytes {
		panic(fmt.Sprintf("BUG: neon: function %s has %d bytes of code, and at most %d were counted", f.Name, got, bytes))
	}
	c.list = append(c.list, Function{Name: f.Name, Offset: start, Size: c.asm.Len() - start, Words: words})
	return len(c.list) - 1, nil
}

// Finish gives the code and its functions, by number.
func (c *Compiler) Finish() ([]byte, []Function, error) {
	code, err := c.asm.Finish()
	if err != nil {
		return nil, nil, fmt.Errorf("BUG: neon: %w", err)
	}
	return code, c.list, nil
}
