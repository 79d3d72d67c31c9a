package paritytest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir/text"
)

// reads counts how often a file of a registered file system was read.
type reads struct {
	fs.FS
	sync.Mutex
	n int
}

func (r *reads) ReadFile(name string) ([]byte, error) {
	r.Lock()
	defer r.Unlock()
	r.n++
	return fs.ReadFile(r.FS, name)
}

// run tells the paths of several runs of a test apart: the registry is the process's.
var run atomic.Int32

// register puts packages of one file each into the registry, below a path of this test; it gives what was read of each.
func register(t *testing.T, files map[string]string) (base string, read map[string]*reads) {
	t.Helper()
	base, read = fmt.Sprintf("parity.test/%s%d", t.Name(), run.Add(1)), map[string]*reads{}
	for path, text := range files {
		r := &reads{FS: fstest.MapFS{"code.go": {Data: []byte(strings.ReplaceAll(text, "BASE", base))}}}
		read[path] = r
		langsrc.Register(&langsrc.Source{Path: base + "/" + path, Dir: "/" + path, FS: []fs.FS{r}})
	}
	return base, read
}

func count(t *testing.T, read map[string]*reads, want map[string]int) {
	t.Helper()
	for path, n := range want {
		if read[path].n != n {
			t.Errorf("package %s was read %d times, want %d", path, read[path].n, n)
		}
	}
}

func helper(name, imports, body string) string {
	return "package " + name + "\n\nimport (\n\t\"github.com/cutile-go/cutile/tile\"\n" + imports + ")\n\nfunc F[T tile.FloatTile](x T) T { " + body + " }\n"
}

// kernelOf makes a package with a kernel K that stores what an expression over v makes of its input.
func kernelOf(name, imports, expr string) string {
	return "package " + name + "\n\nimport (\n\t\"github.com/cutile-go/cutile/tile\"\n" + imports + ")\n\n" +
		"func K[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {\n\tv := x.Load(0)\n\tz.Store(" + expr + ")\n}\n"
}

func kernelText(t *testing.T, path string) string {
	t.Helper()
	k, err := compile.ResolveNamed(path, "K", "tile.D16")
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Compile(t.Context(), facts(k))
	if err != nil {
		t.Fatal(err)
	}
	return text.Sprint(c.Module)
}

// TestDiscoveryWalksImports: from the kernel's package along imports, each package once, and none that is not reached.
func TestDiscoveryWalksImports(t *testing.T) {
	base, read := register(t, map[string]string{
		"k":     kernelOf("k", "\t\"BASE/left\"\n\t\"BASE/right\"\n", "left.F(right.F(v))"),
		"left":  helper("left", "\t\"BASE/deep\"\n", "return deep.F(x) + 1"),
		"right": helper("right", "\t\"BASE/deep\"\n", "return deep.F(x) * 3"),
		"deep":  helper("deep", "", "return tile.Exp(x)"),
		"other": helper("other", "", "return x"),
	})
	count(t, read, map[string]int{"k": 0, "left": 0, "right": 0, "deep": 0, "other": 0}) // nothing is read before a kernel needs it
	text := kernelText(t, base+"/k")
	if n := strings.Count(text, "= exp "); n != 2 {
		t.Errorf("%d exponentials, want 2, in\n%s", n, text)
	}
	kernelText(t, base+"/k")
	count(t, read, map[string]int{"k": 1, "left": 1, "right": 1, "deep": 1, "other": 0})
	w, err := describe.Language.Load([]world.Symbol{{Path: base + "/k", Name: "K"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"k", "left", "right", "deep"} {
		if w.Pkgs[base+"/"+path] == nil {
			t.Errorf("the working set lacks %s", path)
		}
	}
	if w.Pkgs[base+"/other"] != nil || w.Lookup(base+"/deep", "F") == nil {
		t.Error("the working set has a package that is not reached, or cannot resolve a name")
	}
}

// TestDiscoveryEndsInCycles: packages that import each other, as a package and its external tests may.
func TestDiscoveryEndsInCycles(t *testing.T) {
	base, read := register(t, map[string]string{
		"a": kernelOf("a", "\t\"BASE/b\"\n", "b.F(v)") + "\nfunc G[T tile.FloatTile](x T) T { return b.F(x) }\n",
		"b": helper("b", "\t\"BASE/a\"\n", "return x * 5") + "\nfunc H[T tile.FloatTile](x T) T { return a.G(x) }\n",
	})
	if text := kernelText(t, base+"/a"); strings.Count(text, "mulf") != 1 {
		t.Errorf("got\n%s", text)
	}
	count(t, read, map[string]int{"a": 1, "b": 1})
}

// TestImportPathsAreWhole: an import finds the package of exactly its path, not one above it or one of the same name.
func TestImportPathsAreWhole(t *testing.T) {
	base, read := register(t, map[string]string{
		"k":              kernelOf("k", "\t\"BASE/m\"\n\ttwo \"BASE/m/v2\"\n\t\"BASE/m/internal/sub\"\n", "m.F(v) + two.F(v) + sub.F(v)"),
		"m":              helper("m", "", "return x * 11"),
		"m/v2":           helper("m", "", "return x * 22"),
		"m/internal":     helper("internal", "", "return x * 99"),
		"m/internal/sub": helper("sub", "", "return x * 33"),
	})
	text := kernelText(t, base+"/k")
	for _, n := range []int{11, 22, 33} {
		if !strings.Contains(text, fmt.Sprintf("%%cst_%d_f32", n)) {
			t.Errorf("no factor %d in\n%s", n, text)
		}
	}
	count(t, read, map[string]int{"m/internal": 0})
}

// TestImportsThatAreNotRegistered are no mistake until the kernel uses one of them.
func TestImportsThatAreNotRegistered(t *testing.T) {
	base, _ := register(t, map[string]string{
		"fine": kernelOf("fine", "\t\"os\"\n\t\"BASE/none\"\n", "v + 1") + "\nvar home = os.Getenv(none.Name)\n",
		"bad":  kernelOf("bad", "\t\"BASE/none\"\n", "none.F(v)"),
		"far":  kernelOf("far", "\t\"BASE/m/deeper\"\n", "deeper.F(v)"),
		"m":    helper("m", "", "return x"),
	})
	kernelText(t, base+"/fine")
	for path, want := range map[string]string{
		"bad": "none.F cannot be used in a kernel: package " + base + "/none has no registered source",
		"far": "package " + base + "/m/deeper has no registered source",
	} {
		if err := compileNamed(t, base+"/"+path, "K", "tile.D16"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := compileNamed(t, base+"/gone", "K", "tile.D16"); err == nil || !strings.Contains(err.Error(), "gone has no registered source") {
		t.Errorf("got %v", err)
	}
}

// TestUndefinedNamesTheFile: a helper in a file that is not embedded is found in the package's folder, and the message
// names the file; where it is nowhere, the message lists what is embedded.
func TestUndefinedNamesTheFile(t *testing.T) {
	base, _ := register(t, map[string]string{
		"k": kernelOf("k", "", "scale(v)"), "other": kernelOf("other", "\t\"BASE/lib\"\n", "lib.Lost(v)"), "lib": helper("lib", "", "return x"),
	})
	dir := t.TempDir()
	for _, file := range []struct{ name, text string }{
		{"k.go", kernelOf("k", "", "scale(v)")}, {"broken.go", "package"}, {"scale.go", "package k\n\nfunc scale[T any](x T) T { return x }\n"},
	} {
		if err := os.WriteFile(filepath.Join(dir, file.name), []byte(file.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	langsrc.Lookup(base + "/k").Dir = dir
	for path, want := range map[string]string{
		"k":     "undefined: scale: it is declared in scale.go, which package " + base + "/k does not embed: add the file to its go:embed line",
		"other": "undefined: lib.Lost: package " + base + "/lib embeds only ",
	} {
		if err := compileNamed(t, base+"/"+path, "K", "tile.D16"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestKindsOfImports: with a dot, renamed, and plain.
func TestKindsOfImports(t *testing.T) {
	base, _ := register(t, map[string]string{
		"dot":   kernelOf("dot", "\t. \"BASE/lib\"\n", "F(v)"),
		"named": kernelOf("named", "\tl \"BASE/lib\"\n", "l.F(v)"),
		"plain": kernelOf("plain", "\t\"BASE/lib\"\n", "lib.F(v)"),
		"lib":   helper("lib", "", "return x * 7"),
	})
	for _, path := range []string{"dot", "named", "plain"} {
		if text := kernelText(t, base+"/"+path); !strings.Contains(text, "%cst_7_f32") {
			t.Errorf("%s: got\n%s", path, text)
		}
	}
}

// TestReexports: a package gives functions and types of another one under its own path.
func TestReexports(t *testing.T) {
	base, _ := register(t, map[string]string{
		"k":      kernelOf("k", "\t\"BASE/public\"\n", "public.F(public.Pair[tile.F32T1[B]]{A: v, B: v}.A) + public.Half*v"),
		"public": helper("public", "\t\"BASE/inner\"\n", "return inner.F(x)") + "\ntype Pair[T tile.FloatTile] = inner.Pair[T]\n\nconst Half = inner.Half\n",
		"inner":  helper("inner", "", "return x * 7") + "\ntype Pair[T tile.FloatTile] struct{ A, B T }\n\nconst Half = 0.5\n",
	})
	if text := kernelText(t, base+"/k"); !strings.Contains(text, "%cst_7_f32") || strings.Count(text, "mulf") != 2 {
		t.Errorf("got\n%s", text)
	}
	base, _ = register(t, map[string]string{ // a variable is no way to pass a function on
		"k":   kernelOf("k", "\t\"BASE/lib\"\n", "v + tile.F32T1[B](lib.G(tile.F32T1[tile.D16](1)).Sum0())"),
		"lib": helper("lib", "", "return x") + "\nvar G = F[tile.F32T1[tile.D16]]\n",
	})
	if err := compileNamed(t, base+"/k", "K", "tile.D16"); err == nil || !strings.Contains(err.Error(), "G is a host variable") {
		t.Errorf("got %v", err)
	}
}

// TestAliases: a package without source of its own gives the names of another one, which stay the same types.
func TestAliases(t *testing.T) {
	inner := helper("inner", "", "return x * 7") + "\ntype Pair[T tile.FloatTile] struct{ A, B T }\n\nfunc (p Pair[T]) Sum() T { return p.A + p.B }\n\nconst Half = 0.5\n"
	const use = "public.F(inner.Pair[tile.F32T1[B]]{A: v, B: v}.Sum()) + both(public.Pair[tile.F32T1[B]]{A: v}) + public.Half*v"
	const both = "\nfunc both[T tile.FloatTile](p inner.Pair[T]) T { return p.B }\n"
	base, read := register(t, map[string]string{
		"k":     kernelOf("k", "\t\"BASE/inner\"\n\t\"BASE/public\"\n", use) + both,
		"named": kernelOf("named", "\tp \"BASE/public\"\n", "p.F(v)"),
		"dot":   kernelOf("dot", "\t. \"BASE/public\"\n", "F(v)"),
		"far":   kernelOf("far", "\t\"BASE/far/away\"\n", "away.F(v)"),
		"lost":  kernelOf("lost", "\t\"BASE/nowhere\"\n", "nowhere.F(v)"),
		"round": kernelOf("round", "\t\"BASE/ring\"\n", "ring.F(v)"),
		"inner": inner,
	})
	for path, of := range map[string]string{"public": "inner", "far/away": "public", "nowhere": "none", "ring": "ring2", "ring2": "ring", "inner": "none"} {
		langsrc.Alias(base+"/"+path, base+"/"+of) // the last one is registered: its own source counts
	}
	for _, path := range []string{"k", "named", "dot", "far"} {
		if text := kernelText(t, base+"/"+path); !strings.Contains(text, "%cst_7_f32") {
			t.Errorf("%s: got\n%s", path, text)
		}
	}
	count(t, read, map[string]int{"inner": 1})
	for path, want := range map[string]string{
		"lost":  "nowhere.F cannot be used in a kernel: package " + base + "/nowhere is an alias of " + base + "/none, which has no registered source",
		"round": "ring.F cannot be used in a kernel: package " + base + "/ring has no registered source",
	} {
		if err := compileNamed(t, base+"/"+path, "K", "tile.D16"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "code.go:10:10") {
			t.Errorf("got %v\nwant %q", err, want)
		}
	}
}
