package emit_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/internal/testing/graphtest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// kernels gives the kernels of random graphs, with large tiles and small ones.
func kernels(t *testing.T, graphs int, yield func(seed int, k *loops.Kernel, sizes emit.Sizes)) {
	if testenv.Few() {
		graphs /= 10
	}
	for seed := range graphs {
		sizes := emit.DefaultSizes
		if seed%2 == 1 {
			sizes = emit.Sizes{Map: 16, Fold: 64, Row: 16, Dot: 8, Keys: 4}
		}
		plan, err := loops.New(t.Context(), graphtest.Random(uint64(seed)).Results, sizes.Keys)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range plan.Steps {
			if s.Control == nil {
				yield(seed, s.Kernel, sizes)
			}
		}
	}
}

// TestKey checks that kernels that have the same key are the same code.
func TestKey(t *testing.T) {
	type code struct {
		text []byte
		grid [3]uint32
	}
	made := map[string]code{}
	all := 0
	kernels(t, 1000, func(seed int, k *loops.Kernel, sizes emit.Sizes) {
		all++
		out, err := emit.Kernel(k, sizes)
		if err != nil {
			t.Fatal(err)
		}
		text, err := bytecode.Write(out.Module, tileir.Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		key := emit.Key(k, sizes)
		old, ok := made[key]
		if ok && (!bytes.Equal(old.text, text) || old.grid != out.Grid) {
			t.Fatalf("seed %d: a kernel before has the key\n%s\nand is other code than\n%v", seed, key, k)
		}
		made[key] = code{text, out.Grid}
	})
	t.Logf("%d kernels, %d keys", all, len(made))
	if len(made) == all {
		t.Error("no two kernels have the same key")
	}
}

// TestKeyTells changes each part of kernels by itself, and expects another key.
func TestKeyTells(t *testing.T) {
	changed := map[string]int{}
	kernels(t, 200, func(seed int, k *loops.Kernel, sizes emit.Sizes) {
		before := emit.Key(k, sizes)
		expect := func(what string) {
			changed[what]++
			if emit.Key(k, sizes) == before {
				t.Fatalf("seed %d: the key is the same with another %s in\n%v", seed, what, k)
			}
		}
		old := *k
		for what, change := range kernelChanges {
			if change(k) {
				expect("kernel's " + what)
			}
			*k = old
		}
		var all []*loops.Expr
		k.Walk(func(x *loops.Expr) { all = append(all, x) })
		for _, x := range all {
			old := *x
			for what, change := range exprChanges {
				if change(x) {
					expect("expression's " + what)
				}
				*x = old
			}
		}
		sizes.Map++
		expect("size")
	})
	for what := range kernelChanges {
		if changed["kernel's "+what] == 0 {
			t.Errorf("no kernel had another %s", what)
		}
	}
	for what := range exprChanges {
		if changed["expression's "+what] == 0 {
			t.Errorf("no expression had another %s", what)
		}
	}
}

// A change reports whether it has made something else of a part.
var kernelChanges = map[string]func(k *loops.Kernel) bool{
	"name":   func(k *loops.Kernel) bool { old := k.Name(); k.Nodes = nil; return k.Name() != old },
	"extent": func(k *loops.Kernel) bool { return changeAxis(k, func(a *loops.Axis) { a.Extent++ }) },
	"role":   func(k *loops.Kernel) bool { return changeAxis(k, func(a *loops.Axis) { a.Role++ }) },
	"result": func(k *loops.Kernel) bool { k.Into = otherElem(k.Into); return true },
	"place":  func(k *loops.Kernel) bool { k.At = k.At.Times(2); return len(k.At.Terms) > 0 },
	"value": func(k *loops.Kernel) bool {
		k.Value = &loops.Expr{Kind: loops.Number, At: index.Constant(-5)}
		return true
	},
	"scatter": func(k *loops.Kernel) bool { k.Scatter = !k.Scatter; return true },
	"where":   func(k *loops.Kernel) bool { k.Where = otherWhere(k.Where); return true },
	"fold":    func(k *loops.Kernel) bool { k.Fold = otherFold(k.Fold); return true },
}

var exprChanges = map[string]func(x *loops.Expr) bool{
	"kind":      func(x *loops.Expr) bool { x.Kind += 100; return true },
	"elem":      func(x *loops.Expr) bool { x.Elem = otherType(x.Elem); return true },
	"operand":   func(x *loops.Expr) bool { x.Args = append(slices.Clone(x.Args), x.Args...); return len(x.Args) > 0 },
	"bits":      func(x *loops.Expr) bool { x.Bits++; return true },
	"buffer":    func(x *loops.Expr) bool { x.Buffer = &loops.Buffer{Node: &ir.Node{}}; return x.Kind == loops.Load },
	"place":     func(x *loops.Expr) bool { x.At = x.At.Times(2); return len(x.At.Terms) > 0 },
	"number":    func(x *loops.Expr) bool { x.At = x.At.Plus(1); return x.Kind == loops.Number },
	"condition": func(x *loops.Expr) bool { x.Where = otherWhere(x.Where); return true },
	"function":  func(x *loops.Expr) bool { x.Func = &ir.Func{Name: "another"}; return true },
	"fold":      func(x *loops.Expr) bool { x.Fold = otherFold(x.Fold); return true },
	"axis":      func(x *loops.Expr) bool { x.Along = append(slices.Clone(x.Along), 0); return true },
	"least":     func(x *loops.Expr) bool { x.First.Min = !x.First.Min; return true },
	"last":      func(x *loops.Expr) bool { x.First.Last = !x.First.Last; return true },
}

func changeAxis(k *loops.Kernel, change func(*loops.Axis)) bool {
	if len(k.Axes) == 0 {
		return false
	}
	k.Axes = slices.Clone(k.Axes)
	change(&k.Axes[len(k.Axes)-1])
	return true
}

func otherType(t dtype.Type) dtype.Type {
	if t == dtype.F32 {
		return dtype.F16
	}
	return dtype.F32
}

func otherElem(b *loops.Buffer) *loops.Buffer {
	n := *b.Node
	n.Elem = otherType(n.Elem)
	return &loops.Buffer{Node: &n}
}

func otherFold(f *ir.Fold) *ir.Fold {
	if f != nil && f.Name == "sum" {
		return ir.FoldNamed("max")
	}
	return ir.FoldNamed("sum")
}

// otherWhere changes the limit of the last condition, or makes one.
func otherWhere(where []index.Cond) []index.Cond {
	if len(where) == 0 {
		return []index.Cond{{N: 1}}
	}
	where = slices.Clone(where)
	where[len(where)-1].N++
	return where
}

// TestKeyFields lists what kernels consist of. What is new must become part of the key, and of TestKeyTells, unless it follows from the
// rest or the code does not depend on it.
func TestKeyFields(t *testing.T) {
	for _, c := range []struct {
		of          any
		key, others []string
	}{
		{loops.Kernel{}, []string{"Axes", "Into", "At", "Value", "Scatter", "Where", "Fold", "Reads"}, []string{"Nodes", "Dot", "Attention"}},
		{loops.Axis{}, []string{"Extent", "Role"}, nil},
		{loops.Expr{}, []string{"Kind", "Elem", "Args", "Bits", "Buffer", "At", "Where", "Func", "Fold", "Along", "First"}, []string{"ID", "Uses", "Node"}},
		{loops.ArgOrder{}, []string{"Min", "Last"}, nil},
		{index.Expr{}, []string{"Const", "Terms"}, nil},
		{index.Term{}, []string{"Factor", "Atom"}, nil},
		{index.Atom{}, []string{"Kind", "Axis", "Arg", "By", "Value", "Lo", "Hi"}, nil},
		{index.Cond{}, []string{"Index", "N"}, nil},
	} {
		var fields []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(c.of)) {
			if f.IsExported() {
				fields = append(fields, f.Name)
			}
		}
		want := slices.Concat(c.key, c.others)
		slices.Sort(fields)
		slices.Sort(want)
		if !slices.Equal(fields, want) {
			t.Errorf("%T has the fields %v, and the key was made for %v", c.of, fields, want)
		}
	}
}
