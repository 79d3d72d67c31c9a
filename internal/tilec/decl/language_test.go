package decl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/tile/op"
	"github.com/cutile-go/cutile/tileir"
)

// undeclared are the operations that package op does not declare, and why.
var undeclared = map[string]string{
	"if": "control flow: Go's if and switch", "yield": "control flow: the end of a region",
	"for": "control flow: Go's for", "loop": "control flow: Go's for", "break": "control flow: Go's break",
	"continue": "control flow: Go's continue", "return": "control flow: Go's return",
	"entry": "a section of the file: the kernel", "module": "a section of the file: what is compiled",
	"global": "a section of the file: get_global makes it",
}

// reached is what the declarations of an operation give from parameters.
type reached struct{ operands, attrs map[string]bool }

// declarations reads the directives of package op.
func declarations(t *testing.T) map[string]*reached {
	t.Helper()
	files, err := filepath.Glob("../../../tile/op/*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	out := map[string]*reached{}
	fset := token.NewFileSet()
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, d := range directive.Of(fset, fn.Doc) {
				said, err := decl.Of(d)
				if err != nil {
					t.Error(err)
				} else if d.Word == decl.Op {
					read(t, said, fn, out)
				}
			}
		}
	}
	return out
}

func read(t *testing.T, d *decl.Directive, fn *ast.FuncDecl, out map[string]*reached) {
	t.Helper()
	var params []string
	for _, f := range fn.Type.Params.List {
		for _, id := range f.Names {
			params = append(params, id.Name)
		}
	}
	if err := d.Verify(params); err != nil {
		t.Errorf("%s: %v", fn.Name.Name, err)
	}
	r := out[d.Info.Mnemonic]
	if r == nil {
		r = &reached{map[string]bool{}, map[string]bool{}}
		out[d.Info.Mnemonic] = r
	}
	for i, o := range d.Operands {
		if o.Name != "_" {
			r.operands[d.Info.Operands[i].Name] = true
		}
	}
	for i := range d.Info.Attrs {
		name := d.Info.Attrs[i].Name
		if e := d.Attrs.Field(name); e != nil && varies(e, params) {
			r.attrs[name] = true
		}
	}
}

// varies reports whether an expression depends on an argument or a type argument.
func varies(e *decl.Expr, params []string) bool {
	head, _, _ := strings.Cut(e.Name, ".")
	return slices.Contains(params, head) || e.Call && e.Name == "sign" ||
		slices.ContainsFunc(e.Args, func(a *decl.Expr) bool { return varies(a, params) })
}

// TestEveryOperation names each operation, operand and attribute of the table that no declaration reaches.
func TestEveryOperation(t *testing.T) {
	declared := declarations(t)
	for _, in := range tileir.Infos() {
		r := declared[in.Mnemonic]
		if why, ok := undeclared[in.Mnemonic]; ok {
			if r != nil {
				t.Errorf("%s is declared, though it is %s", in.Mnemonic, why)
			}
			continue
		}
		if r == nil {
			t.Errorf("no declaration of %s: %s", in.Mnemonic, in.Meaning)
			continue
		}
		for i := range in.Operands {
			if o := in.Operands[i].Name; !r.operands[o] {
				t.Errorf("no declaration of %s gives operand %s", in.Mnemonic, o)
			}
		}
		for i := range in.Attrs {
			if a := in.Attrs[i].Name; !r.attrs[a] {
				t.Errorf("no declaration of %s lets a kernel choose attribute %s", in.Mnemonic, a)
			}
		}
	}
}

// enums are the constants of package op for each enumeration of the table, in its order.
var enums = map[*tileir.Enum][]int{
	tileir.RoundingMode: {int(op.NearestEven), int(op.Zero), int(op.NegativeInf), int(op.PositiveInf), int(op.Approx), int(op.Full),
		int(op.NearestIntToZero), int(op.NearestAway)},
	tileir.ComparisonPredicate: {int(op.Equal), int(op.NotEqual), int(op.LessThan), int(op.LessThanOrEqual), int(op.GreaterThan),
		int(op.GreaterThanOrEqual)},
	tileir.ComparisonOrdering:      {int(op.Unordered), int(op.Ordered)},
	tileir.IntegerOverflow:         {int(op.MayWrap), int(op.NoSignedWrap), int(op.NoUnsignedWrap), int(op.NoWrap)},
	tileir.MemoryOrderingSemantics: {int(op.Weak), int(op.Relaxed), int(op.Acquire), int(op.Release), int(op.AcqRel)},
	tileir.MemoryScope:             {int(op.Block), int(op.Device), int(op.System)},
	tileir.PaddingValue:            {int(op.PadZero), int(op.PadNegZero), int(op.PadNaN), int(op.PadPosInf), int(op.PadNegInf)},
	tileir.AtomicRMWMode: {int(op.RMWAnd), int(op.RMWOr), int(op.RMWXor), int(op.RMWAdd), int(op.RMWAddF), int(op.RMWMax), int(op.RMWMin),
		int(op.RMWUMax), int(op.RMWUMin), int(op.RMWXchg)},
}

// TestEnums holds that every value of every enumeration has its constant.
func TestEnums(t *testing.T) {
	for e, got := range enums {
		var want []int
		for _, v := range e.Values {
			want = append(want, int(v.Value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the constants are %v, the table has %v", e.Name, got, want)
		}
	}
}

// one is the directive of a comment that has one.
func one(text string) *directive.Directive {
	return directive.Of(token.NewFileSet(), &ast.CommentGroup{List: []*ast.Comment{{Text: text}}})[0]
}

// TestMistakes holds the words for declarations that are wrong.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"//cutile:op nothing(x)", `Tile IR has no operation "nothing"`},
		{"//cutile:op addf", "want addf(operands)"},
		{"//cutile:op addf(x, y) odd", `column 15: unknown clause "odd"`},
		{"//cutile:op addf(x, y) min(1, 2)", "min takes one argument"},
		{"//cutile:op addf(x, y) min", "min takes one argument"},
		{"//cutile:op addf(x, y) bounds", "bounds takes one argument"},
		{"//cutile:op addf(x, y) once()", "once takes one argument"},
		{"//cutile:op addf(x, y", "column 10: want \",\", have \"\""},
		{"//cutile:op addf(x y z)", "column 8: want \",\", have \"y\""},
		{"//cutile:op addf(x, )", `column 9: want Ident, have ")"`},
		{"//cutile:op addf(x.)", `column 8: want Ident, have ")"`},
		{"//cutile:op addf(x, -y)", "want a number after -"},
		{"//cutile:op addf(9223372036854775808)", "value out of range"},
		{`//cutile:op addf("x`, "literal not terminated"},
		{"//cutile:op addf(x, y) - z", `column 14: want ">", have "z"`},
		{"//cutile:op addf(x, sign())", "column 15: sign has 0 arguments, want 1"},
		{"//cutile:type tile zero", `want zero(function), have "zero"`},
		{"//cutile:type tile zero(A, B)", `want zero(function), have "zero"`},
		{"//cutile:type tile one(A)", `want zero(function), have "one"`},
		{"//cutile:type", `want Ident, have ""`},
		{"//cutile:type f32 zero(Z) f16", `column 13: unexpected "f16"`},
		{"//cutile:type f32)", `column 4: unexpected ")"`},
		{"//cutile:type extent", "extent has 0 arguments, want 1"},
		{"//cutile:type extent()", "extent has 0 arguments, want 1"},
		{"//cutile:type extent(product(A))", "product has 1 arguments, want 2"},
		{"//cutile:type enum", "enum has 0 arguments, want 1"},
		{"//cutile:type list", "list has 0 arguments, want 1"},
		{"//cutile:type list(rank())", "rank has 0 arguments, want 1"},
		{"//cutile:type tile(shape: without(T), elem: T)", "without has 1 arguments, want 2"},
		{"//cutile:type tile(shape: [], elem: ptr())", "ptr has 0 arguments, want 1"},
		{"//cutile:intrinsic", "the kind of intrinsic is missing"},
		{"//cutile:intrinsic size 1", `column 6: unexpected "1"`},
		{"//cutile:op addf(x - 1)", "column 8: want \",\", have \"-\""},
	} {
		_, err := decl.Of(one(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"//cutile:op addf(x, y, z) {rounding_mode: r}", "addf has 2 operands, not 3"},
		{"//cutile:op addf(x) {rounding_mode: r}", "addf needs operand rhs"},
		{"//cutile:op addf(x, w) {rounding_mode: r}", `operand "w" is not a parameter`},
		{"//cutile:op addf(x, y)", "addf needs attribute rounding_mode"},
		{"//cutile:op addf(x, y) {rounding_mode: up}", "up is neither a parameter nor a value of RoundingMode"},
		{"//cutile:op addf(x, y) {round: r}", "addf has no attribute round; it has rounding_mode, flush_to_zero"},
		{"//cutile:op addf(x, y) {rounding_mode: r} region f(0)", "addf has 0 regions, not 1"},
		{"//cutile:op addf(x, y) {rounding_mode: up.r}", "up.r is neither a parameter nor a value of RoundingMode"},
		{"//cutile:op addf(x, y) {rounding_mode: full}", "parameter full hides the value full of RoundingMode: rename the parameter"},
		{"//cutile:op addf(x.y, z.x.y) {rounding_mode: 0, flush: x}", "addf has no attribute flush; it has rounding_mode, flush_to_zero"},
		{"//cutile:op addf(x, 1) {rounding_mode: r}", `operand "" is not a parameter`},
		{"//cutile:op get_tile_block_id() {x: r}", "get_tile_block_id has no attribute x; it has none"},
		{"//cutile:op reduce([x, w]) {dim: r} region f(0)", `operand "w" is not a parameter`},
		{"//cutile:op reduce(dynamic(w)) {dim: r} region f(0)", `operand "w" is not a parameter`},
	} {
		d, err := decl.Of(one(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Verify([]string{"x", "y", "z", "r", "f", "full"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}
