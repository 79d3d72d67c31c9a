package sourcefuzz_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/langsrc"
	_ "github.com/cutile-go/cutile/internal/testing/conformance/helper"
	_ "github.com/cutile-go/cutile/internal/tilec/compile/testdata/ext"
	_ "github.com/cutile-go/cutile/internal/tilec/compile/testdata/lib.go"
	_ "github.com/cutile-go/cutile/internal/tilec/compile/testdata/twin/a/same"
	_ "github.com/cutile-go/cutile/internal/tilec/compile/testdata/twin/b/same"
)

// folders have the kernels that mutants start from.
var folders = []string{"../../../examples", "../../../kernels", "../conformance", "../languagetest", "../../tilec/compile", "../../../cmd/cutile/testdata/kernels"}

// seed is a kernel of the repository as a program of one file.
type seed struct {
	name string // folder.kernel
	decl *source.Decl
	once sync.Once
	prog *program // nil where no type arguments were found for which it compiles
}

// seeds finds every kernel, in a fixed order.
var seeds = sync.OnceValues(func() (all []*seed, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || d.Name() == "testdata" && dir != folder {
				return err
			}
			for _, suffix := range []string{"", "_test"} {
				found, err := kernelsIn(dir, suffix)
				if err != nil {
					return err
				}
				all = append(all, found...)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
})

// kernelsIn finds the kernels of a folder's package, or of its external tests.
func kernelsIn(dir, suffix string) ([]*seed, error) {
	if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) == 0 {
		return nil, nil
	}
	path := "seed/" + strings.TrimLeft(filepath.ToSlash(dir), "./") + suffix
	langsrc.Register(&langsrc.Source{Path: path, Dir: path, FS: []fs.FS{os.DirFS(dir)}})
	p, err := source.Load(path)
	if err != nil && strings.Contains(err.Error(), "without its Go files") {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*seed
	for name, d := range p.Decls {
		if strings.HasPrefix(filepath.Base(source.Fset.Position(d.File.Package).Filename), "wrong_") {
			continue
		}
		if f := d.Func(); f != nil && f.Body != nil && f.Type.Results == nil && takesTensors(p, f.Type.Params, 0) {
			out = append(out, &seed{name: path + "." + name, decl: d})
		}
	}
	slices.SortFunc(out, func(a, b *seed) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// takesTensors reports whether some parameter or field mentions a tensor.
func takesTensors(p *source.Package, fields *ast.FieldList, depth int) (found bool) {
	ast.Inspect(fields, func(n ast.Node) bool {
		ix, ok := n.(*ast.IndexExpr)
		if ok && slices.Contains([]string{"In", "Out", "InOut", "Ptr"}, source.TypeName(ix.X)) {
			found = true
		}
		if id, ok := n.(*ast.Ident); ok && depth < 3 && p.Decls[id.Name] != nil {
			if t, ok := p.Decls[id.Name].Node.(*ast.TypeSpec); ok {
				if st, ok := t.Type.(*ast.StructType); ok && takesTensors(p, st.Fields, depth+1) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// program gives the seed as a program that compiles: nil where none was found.
func (s *seed) program() *program {
	s.once.Do(func() {
		rng := rand.New(rand.NewPCG(1, 2))
		f := s.decl.Func()
		turns := 20
		if f.Type.TypeParams == nil && len(funcArgs(rng, s.decl)) == 0 {
			turns = 1
		}
		for turn := range turns {
			p := s.instance(rng, turn)
			if o := p.run(); o.err == nil && o.finding == "" {
				s.prog = p
				return
			}
		}
	})
	return s.prog
}

// instance is the seed with arguments for its types and functions.
func (s *seed) instance(rng *rand.Rand, turn int) *program {
	p := &program{kernel: s.decl.Name, facts: ^uint64(7), args: typeArgs(rng, s.decl.Func(), turn), funcs: funcArgs(rng, s.decl)}
	p.text = s.text(p.funcs)
	return p
}

// text is the kernel and what it and some functions reach in its own package, as one file.
func (s *seed) text(funcs []string) string {
	pkg := s.decl.Pkg
	kept := map[*source.Decl]bool{}
	selected := map[string]bool{}
	todo := []*source.Decl{s.decl}
	for _, name := range funcs {
		todo = append(todo, pkg.Decls[name])
	}
	for len(todo) > 0 {
		d := todo[0]
		todo = todo[1:]
		if d == nil || kept[d] {
			continue
		}
		kept[d] = true
		for name := range d.Uses().Names {
			todo = append(todo, pkg.Decls[name])
		}
		for name := range d.Uses().Selected {
			selected[name] = true
		}
		for k := range kept {
			for name, m := range pkg.Methods[k.Name] {
				if selected[name] {
					todo = append(todo, m)
				}
			}
		}
	}
	imports := map[string]bool{}
	var decls []string
	for d := range kept {
		for _, i := range d.File.Imports {
			line := i.Path.Value
			if i.Name != nil {
				line = i.Name.Name + " " + line
			}
			imports[line] = true
		}
		decls = append(decls, declText(d))
	}
	slices.Sort(decls)
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n", strings.TrimSuffix(pkg.Name, "_test"))
	for _, line := range slices.Sorted(keys(imports)) {
		fmt.Fprintf(&b, "\t%s\n", line)
	}
	fmt.Fprintf(&b, ")\n\n%s\n", strings.Join(decls, "\n\n"))
	return b.String()
}

func keys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// declText is a declaration with its directives, as it is written.
func declText(d *source.Decl) string {
	file := source.Fset.File(d.Node.Pos())
	name := strings.TrimPrefix(filepath.Base(file.Name()), "./")
	src := langsrc.Lookup(d.Pkg.Path)
	text, err := fs.ReadFile(src.FS[0], name)
	if err != nil {
		panic(err)
	}
	out := string(text[file.Offset(d.Node.Pos()):file.Offset(d.Node.End())])
	switch n := d.Node.(type) {
	case *ast.TypeSpec:
		return "type " + out
	case *ast.GenDecl:
		return directives(n.Doc) + out
	case *ast.FuncDecl:
		return directives(n.Doc) + out
	}
	return out
}

// directives are the lines of a comment that mean something to the compiler.
func directives(doc *ast.CommentGroup) (out string) {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//cutile:") {
			out += c.Text + "\n"
		}
	}
	return out
}

// extents are tried first for all dimensions of a kernel at once.
var extents = []int{16, 32, 64, 8, 4, 128, 1, 2}

// arguments are types for the constraints of package tile.
var arguments = map[string][]string{
	"FloatElem": {"float32", "dtype.Float16", "float64", "dtype.BFloat16"}, "IntElem": {"int32", "int64", "int8"},
	"UintElem": {"uint32", "uint8"}, "NumElem": {"float32", "int32", "dtype.Float16"},
	"FloatTile":     {"tile.F32T1[tile.D16]", "tile.F32T2[tile.D16,tile.D32]", "tile.F16T1[tile.D16]"},
	"IntTile":       {"tile.I32T1[tile.D16]", "tile.I64T2[tile.D16,tile.D32]", "tile.U32T1[tile.D16]"},
	"SignedTile":    {"tile.I32T1[tile.D16]"},
	"SignedNumTile": {"tile.F32T1[tile.D16]", "tile.I32T1[tile.D16]"},
	"NumTile":       {"tile.F32T1[tile.D16]", "tile.I32T1[tile.D16]", "tile.F32T2[tile.D16,tile.D32]"},
	"Tile":          {"tile.F32T1[tile.D16]", "tile.F32T2[tile.D16,tile.D32]", "tile.F32T3[tile.D2,tile.D4,tile.D8]"},
	"any":           {"tile.F32T1[tile.D16]", "int", "float32"},
}

// typeArgs chooses type arguments for a kernel.
func typeArgs(rng *rand.Rand, f *ast.FuncDecl, turn int) (out []string) {
	if f.Type.TypeParams == nil {
		return nil
	}
	for _, field := range f.Type.TypeParams.List {
		choices := arguments[source.TypeName(field.Type)]
		for range field.Names {
			switch {
			case choices != nil:
				out = append(out, choices[rng.IntN(min(len(choices), turn+1))])
			case turn < len(extents):
				out = append(out, fmt.Sprintf("D%d", extents[turn]))
			default:
				out = append(out, fmt.Sprintf("D%d", 1<<rng.IntN(8)))
			}
		}
	}
	return out
}

// funcArgs chooses a function for each function that a kernel takes.
func funcArgs(rng *rand.Rand, d *source.Decl) (out []string) {
	known := []string{"tile.Exp", "tile.Tanh", "tile.Abs", "tile.MaxNum"}
	for name, other := range d.Pkg.Decls {
		if f := other.Func(); f != nil && f.Type.Results != nil {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	for _, field := range d.Func().Type.Params.List {
		if _, ok := field.Type.(*ast.FuncType); ok {
			for range field.Names {
				out = append(out, known[rng.IntN(len(known))])
			}
		}
	}
	return out
}
