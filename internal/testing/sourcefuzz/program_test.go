package sourcefuzz_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing/fstest"
	"time"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// program is a kernel in a package of one file, with what it is compiled for.
type program struct {
	kernel string
	args   []string // its type arguments
	funcs  []string // the values of its function parameters
	facts  uint64   // selects what a launch promises
	text   string
}

// header starts the line of a program's file that says what is compiled.
const header = "//fuzz:kernel "

// file is the program as it stands in testdata.
func (p *program) file() string {
	return fmt.Sprintf("%s%s(%s) facts=%d args=%s\n%s", header, p.kernel, strings.Join(p.funcs, ";"), p.facts, strings.Join(p.args, ";"), p.text)
}

// parseProgram reads what file writes. Comments may stand before it.
func parseProgram(text string) (*program, error) {
	_, rest, ok := strings.Cut("\n"+text, "\n"+header)
	line, rest, ok2 := strings.Cut(rest, "\n")
	head, args, ok3 := strings.Cut(line, " args=")
	head, facts, ok4 := strings.Cut(head, " facts=")
	name, funcs, ok5 := strings.Cut(strings.TrimSuffix(head, ")"), "(")
	if !(ok && ok2 && ok3 && ok4 && ok5) {
		return nil, fmt.Errorf("no line %s", header)
	}
	p := &program{kernel: name, args: list(args), funcs: list(funcs), text: rest}
	_, err := fmt.Sscan(facts, &p.facts)
	return p, err
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ";")
}

// outcome is what the compiler does with a program.
type outcome struct {
	path    string
	kernel  *compile.Kernel
	facts   compile.Facts
	code    *compile.Code
	err     error
	finding string // what must not be; "" for none
}

var programs atomic.Int64

// limit is how long the compiler may take for one program: a few seconds of its own, on a machine with much other work.
const limit = time.Minute

// run compiles a program and judges what happens. A program that takes too long goes on running.
func (p *program) run() *outcome {
	done := make(chan *outcome, 1)
	o := &outcome{path: fmt.Sprintf("fuzz/m%d", programs.Add(1))}
	go func() {
		defer func() {
			if r := recover(); r != nil {
				o.finding = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
			}
			done <- o
		}()
		p.compile(o)
		p.judge(o)
	}()
	select {
	case o := <-done:
		return o
	case <-time.After(limit):
		return &outcome{path: o.path, finding: fmt.Sprintf("hang: no answer in %v", limit)}
	}
}

func (p *program) compile(o *outcome) {
	langsrc.Register(&langsrc.Source{Path: o.path, Dir: o.path, FS: []fs.FS{fstest.MapFS{"m.go": {Data: []byte(p.text)}}}})
	if o.kernel, o.err = compile.ResolveNamed(o.path, p.kernel, p.args...); o.err != nil {
		return
	}
	if o.facts, o.err = p.promises(o.kernel); o.err != nil {
		return
	}
	o.code, o.err = o.kernel.Compile(context.Background(), o.facts)
}

// promises are facts about a kernel's arguments, chosen by the bits of facts.
func (p *program) promises(k *compile.Kernel) (f compile.Facts, err error) {
	bits := p.facts
	take := func(n uint) uint8 {
		b := uint8(bits & (1<<n - 1))
		bits = bits>>n | bits<<(64-n)
		return b
	}
	f.Wide = take(3) == 7
	funcs := p.funcs
	for i, param := range k.Params() {
		a := compile.ArgFacts{}
		switch rank := uint(len(param.Tile)); {
		case param.Kind == compile.Func && len(funcs) > 0:
			if a.Func, err = k.NamedFunc(i, funcs[0]); err != nil {
				return f, err
			}
			funcs = funcs[1:]
		case param.Kind == compile.Func:
			return f, errors.New("no function is given for " + param.Name)
		case rank > 0:
			a.Align16, a.Extent16, a.Stride16 = take(1) == 1, take(rank), take(rank)
			a.Unit = uint8(1) << (rank - 1) >> (take(2) / 3 % 2)
		}
		f.Args = append(f.Args, a)
	}
	return f, nil
}

// judge looks for what must not be.
func (p *program) judge(o *outcome) {
	if o.err != nil {
		o.finding = p.refusal(o)
		return
	}
	m := o.code.Module
	data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
	if err != nil {
		o.finding = fmt.Sprintf("cannot be written: %v", err)
		return
	}
	again, _, err := bytecode.Read(data)
	if err != nil {
		o.finding = fmt.Sprintf("cannot be read back: %v", err)
		return
	}
	if text.Sprint(again) != text.Sprint(m) {
		o.finding = "is another module when it is read back"
		return
	}
	if data2, err := bytecode.Write(again, tileir.Newest, bytecode.Options{}); err != nil || !bytes.Equal(data, data2) {
		o.finding = "has other bytes when it is written again"
		return
	}
	dev := cpu.New(cpu.Options{Workers: 1})
	defer dev.Close()
	k, err := dev.Compile(context.Background(), m, o.code.Entry)
	if err != nil {
		o.finding = fmt.Sprintf("the CPU engine does not compile it: %v", err)
		return
	}
	k.Close()
	o.code.Prove([3]uint32{3, 2, 1}, make([]uint64, len(m.Entries[0].Params)))
	passes.Accesses(m.Entries[0])
}

// refusal checks the mistakes of a program: each has a text, and a place in the program.
func (p *program) refusal(o *outcome) string {
	for _, e := range mistakes(o.err) {
		switch {
		case strings.Contains(e.Msg, "BUG"):
			return e.Msg
		case strings.Contains(e.Msg, "%!"):
			return "a message that is formatted badly: " + e.Msg
		case e.Stage == diag.Verify && !strings.Contains(p.text, "/tile/op\""):
			return "accepted, but not valid: " + e.Msg
		case e.Stage == diag.Capture && !strings.HasPrefix(e.Pos.Filename, o.path+"/"): // of what a launch gives
		case !strings.HasPrefix(e.Pos.Filename, o.path+"/") && !ofUser(e.Pos.Filename):
			return fmt.Sprintf("a mistake outside the user's source: %v", e)
		case e.Pos.Line == 0 || e.Pos.Column == 0 || e.Source == "":
			return fmt.Sprintf("a mistake without a place: %v", e)
		}
	}
	return ""
}

// ofUser reports whether a file belongs to a registered package outside the language.
func ofUser(file string) bool {
	for _, s := range langsrc.All() {
		if !s.Lang && s.Dir != "" && strings.HasPrefix(file, s.Dir+"/") {
			return true
		}
	}
	return false
}

func mistakes(err error) []*diag.Error {
	var all diag.List
	var one *diag.Error
	switch {
	case errors.As(err, &all):
		return all
	case errors.As(err, &one):
		return diag.List{one}
	}
	return diag.List{{Msg: fmt.Sprintf("not a *diag.Error: %v", err), Stage: diag.Lower}}
}
