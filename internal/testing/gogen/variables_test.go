package gogen_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/dwarftest"
	"github.com/cutile-go/cutile/internal/testing/gogen"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestVariables has random programs print variables at random places. Wherever the DWARF of their PTX says that such a variable is somewhere, that
// must hold what the program prints of it, and the programs must be the same Tile IR with variables as without.
func TestVariables(t *testing.T) {
	count := 60
	if testing.Short() {
		count = 20
	}
	var sum shownVariables
	for n := range uint64(count) {
		watchProgram(t, *seed+n, []string{"sm_75", "sm_80", "sm_90a"}[n%3], &sum)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d variables that are printed are somewhere; %d values", sum.known, sum.asked, sum.values)
	if sum.known < sum.asked/2 || sum.values < 10*count {
		t.Errorf("%d of %d variables that are printed are somewhere; %d values", sum.known, sum.asked, sum.values)
	}
}

// shownVariables counts variables that are printed, those of them that are somewhere, and what was compared.
type shownVariables struct{ asked, known, values int }

func watchProgram(t *testing.T, seed uint64, arch string, sum *shownVariables) {
	t.Helper()
	p := *gogen.Generate(seed)
	p.Source = printing(t, p.Source, rand.New(rand.NewPCG(seed, 3)))
	u := unit{0, &p}
	w, path, err := tileLevel.world(describe.Language.Load, []unit{u})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	w.Lock()
	defer w.Unlock()
	c := callers(&p)[0]
	var modules [2]*tileir.Module
	for i, debug := range []bool{false, true} {
		fn, err := function(w, path, fmt.Sprintf("%s%d", c.name, u.n))
		if err != nil {
			t.Fatal(err)
		}
		in := &lower.Input{World: describe.Of(w), Kernel: fn, Args: make([]lower.Arg, fn.Sig.Params().Len()), Debug: debug}
		for i := range in.Args {
			in.Args[i] = lower.Arg{ExtentDiv: []int64{0}, StrideDiv: []int64{0}, Unit: []bool{true}}
		}
		out, err := lower.Kernel(in)
		if err != nil {
			return // as without the prints
		}
		if err := passes.Run(t.Context(), out.Entry); err != nil {
			t.Fatal(err)
		}
		if debug {
			out.Notes.Take(out.Entry)
		}
		modules[i] = &tileir.Module{Globals: out.Globals, Entries: []*tileir.Entry{out.Entry}}
	}
	if a, b := text.Sprint(modules[0]), text.Sprint(modules[1]); a != b {
		t.Errorf("seed %d: without variables\n%s\nwith variables\n%s", seed, a, b)
	}
	code, err := threads.PTX(modules[1], modules[1].Entries[0].Name, arch, threads.Options{Exact: true, Debug: true})
	var no *threads.Error
	if errors.As(err, &no) {
		return
	} else if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	src, err := ptx.WriteLines(code, arch)
	if err != nil {
		t.Fatal(err)
	}
	lookAtPrinted(t, code.Kernels[0], dwarftest.PTX(t, string(src)), sum)
	prog, err := emu.Load(code)
	if err != nil {
		t.Fatal(err)
	}
	said := &strings.Builder{}
	mem := &emu.Memory{}
	l := emu.Launch{Kernel: code.Kernels[0].Name, Shared: code.Kernels[0].Shared, Memory: mem, Workers: 1, Grid: [3]int{gogen.Lanes, 1, 1}, Stdout: said}
	for i, bits := range p.Tuples[0] {
		if c.known>>i&1 == 0 {
			l.Args = append(l.Args, bits)
		}
	}
	l.Args = append(l.Args, 0)
	for i := range p.Results {
		at := uint64(i+1) << 36
		mem.Map(at, make([]byte, 8*rows), "result", false)
		l.Args = append(l.Args, at, rows, 1)
	}
	if err := prog.Run(context.Background(), l); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	comparePrinted(t, seed, said.String(), sum)
}

// printing adds prints to a program: before statements, of variables that are declared there, with their lines.
func printing(t *testing.T, src string, r *rand.Rand) string {
	t.Helper()
	src = unrolled.ReplaceAllString(src, "$1")
	fset := token.NewFileSet()
	var files []*ast.File
	const head = "package p\n"
	for name, s := range map[string]string{"prelude.go": head + gogen.Prelude(true), "program.go": head + src} {
		f, err := parser.ParseFile(fset, name, s, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := (&types.Config{}).Check("p", fset, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := map[int]string{} // by offset in the program
	for _, f := range files {
		if fset.File(f.Pos()).Name() != "program.go" {
			continue
		}
		before := func(list []ast.Stmt) {
			for _, s := range list {
				if _, is := s.(*ast.CaseClause); is || r.IntN(3) > 0 {
					continue
				}
				if v := chosen(pkg, s.Pos(), r); v != nil {
					verb := "d"
					if v.Type().Underlying().(*types.Basic).Info()&types.IsFloat != 0 {
						verb = "g"
					}
					line := fset.Position(v.Pos()).Line - 1 + 4 // as level.text has the program
					at[fset.Position(s.Pos()).Offset-len(head)] = fmt.Sprintf("tile.Print(\"%s:%d=%%%s\\n\", %s); ", v.Name(), line, verb, v.Name())
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				before(n.List)
			case *ast.CaseClause:
				before(n.Body)
			}
			return true
		})
	}
	var b strings.Builder
	for i := range len(src) {
		b.WriteString(at[i])
		b.WriteByte(src[i])
	}
	return b.String()
}

// chosen is one of the variables for numbers that are declared at a position.
func chosen(pkg *types.Package, pos token.Pos, r *rand.Rand) *types.Var {
	var list []*types.Var
	seen := map[string]bool{}
	for s := pkg.Scope().Innermost(pos); s != nil && s != pkg.Scope(); s = s.Parent() {
		for _, name := range s.Names() {
			_, o := s.LookupParent(name, pos)
			v, ok := o.(*types.Var)
			if !ok || seen[name] || v.Parent() == pkg.Scope() || name == "_" {
				continue
			}
			seen[name] = true
			if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&(types.IsInteger|types.IsFloat) != 0 {
				list = append(list, v)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[r.IntN(len(list))]
}

// lookAtPrinted makes a kernel print what the variables hold that it is about to print.
func lookAtPrinted(t *testing.T, f *simt.Func, vars []*dwarftest.Variable, sum *shownVariables) {
	t.Helper()
	var body []simt.Instr
	for i, in := range f.Body {
		if head, _, ok := strings.Cut(in.Text, "="); ok && in.Op == simt.OpPrintf {
			sum.asked++
			name, line, _ := strings.Cut(head, ":")
			var of *dwarftest.Variable
			for _, v := range vars { // one that a call has declared inside of another comes behind
				if v.Name == name && strconv.FormatInt(v.Line, 10) == line && v.At(uint64(i)) != nil {
					of = v
				}
			}
			if of != nil {
				sum.known++
				body = append(body, dwarftest.Printing(t, f, of.At(uint64(i)), fmt.Sprintf("held %s %d|", of.Number, of.Bytes))...)
			}
		}
		body = append(body, in)
	}
	f.Body = body
}

// comparePrinted compares what variables hold with what the program prints of them.
func comparePrinted(t *testing.T, seed uint64, said string, sum *shownVariables) {
	t.Helper()
	lines := strings.Split(said, "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "held ")
		if !ok {
			continue
		}
		sum.values++
		var number string
		var bytes int64
		head, hex, _ := strings.Cut(rest, "|")
		if _, err := fmt.Sscan(head, &number, &bytes); err != nil {
			t.Fatal(err)
		}
		name, printed, _ := strings.Cut(lines[i+1], "=")
		bits, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
		if err != nil {
			t.Fatal(seed, line, err)
		}
		if got := dwarftest.Printed(number, bytes, bits); got != strings.Replace(printed, "-nan", "nan", 1) {
			t.Fatalf("seed %d: %s holds %s of %d bytes, %s, but prints %s", seed, name, number, bytes, got, printed)
		}
	}
}
