package gogen_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// way is how a number comes to where it is used: a declaration of the package, a statement before, and what stands for the number as
// a tile and, where it is known, as an element. $V is the number as it is written, $N the name of the kernel.
type way struct{ name, global, before, tile, elem string }

var ways = []way{
	{"written", "", "", "$V", "$V"},
	{"declared", "", "const c = $V", "c", "c"},
	{"declared with a type", "", "const c $S = $V", "$T(c)", "c"},
	{"variable", "", "c := $S($V)", "$T(c)", "c"},
	{"variable of Go", "", "var c $E = $V", "$T(c)", "$S(c)"},
	{"element of a table", "//cutile:state\nvar table$N = tile.Table[$E](1, $V)\n", "", "tile.Gather[$T](table$N, tile.I32T1[tile.D4](1), true, 0)", ""},
	{"element of a global", "//cutile:state\nvar global$N = tile.Global[$E](1, $V)\n", "", "tile.Gather[$T](global$N, tile.I32T1[tile.D4](1), true, 0)", ""},
	{"argument", "", "", "$T(a)", ""},
}

// of is the way for a number. A call is no constant and has a type, so that it is converted. The floats that Go lacks have no
// constants but as elements of tiles.
func (w way) of(e limited, v written) (way, bool) {
	if v.call && w.name == "written" {
		w.tile, w.elem = "$T($V)", "$S($V)"
	}
	ofGo := strings.Contains(w.global+w.before, "$E")
	constant := ofGo || strings.HasPrefix(w.before, "const")
	return w, !(v.call && constant) && !(ofGo && e.GoType().PkgPath() != "")
}

// limitKernel is a kernel that computes all forms with one number.
type limitKernel struct {
	e     limited
	v     written
	way   way
	forms []form
	name  string
}

func (k *limitKernel) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
%s
func $N(a $E, p tile.Ptr[$E], x tile.In[$T], q, y tile.InOut[$T]) {
	at := tile.Iota[tile.D4]()
	first := at < 2
	%s
`, k.way.global, k.way.before)
	for i, f := range k.forms {
		fmt.Fprintf(&b, "\ty.Store(%s, %d)\n", strings.NewReplacer("$C", k.way.tile, "$I", k.way.elem).Replace(f.text), i)
	}
	b.WriteString("}\n\n")
	return k.e.spell(strings.NewReplacer("$V", k.v.text, "$N", k.name).Replace(b.String()))
}

// spell writes the types of an element type.
func (e limited) spell(s string) string {
	return strings.NewReplacer("$T", "tile."+e.name+"T1[tile.D4]", "$S", "tile."+e.name, "$E", e.goName()).Replace(s)
}

// kernels are all kernels of a type. Of a type of less than 64 bits, each number goes two ways.
func (e limited) kernels() (all []*limitKernel) {
	for i, v := range e.limits() {
		for j, w := range ways {
			w, ok := w.of(e, v)
			if !ok || e.width() < 64 && j != i%len(ways) && j != (i+3)%len(ways) {
				continue
			}
			k := &limitKernel{e: e, v: v, way: w, forms: slices.Clone(anyForms), name: fmt.Sprintf("k%d", len(all))}
			if !e.IsFloat() {
				k.forms = append(k.forms, intForms...)
			}
			if w.elem != "" {
				k.forms = append(append(k.forms, knownForms...), foldForms...)
			}
			all = append(all, k)
		}
	}
	return all
}

// elements are what the tensors hold.
func (k *limitKernel) elements() [4]uint64 {
	return [4]uint64{k.e.wrap(1 << (k.e.width() - 1)), k.e.wrap(k.v.bits ^ 1), k.e.wrap(1<<53 + 3), k.v.bits}
}

// judge compiles a kernel and runs what comes out of its files.
func (k *limitKernel) judge(r *tileRunner, w *world.World, path string) verdict {
	w.Lock()
	defer w.Unlock()
	out, err := lowered(w, path, k.name)
	if err != nil {
		return refusal(err)
	}
	passed := false
	return beforeAndAfter(out, func(m *tileir.Module) string {
		if !passed { // what runs is what comes out of the passes
			passed = true
			return k.wrongIdentity(m)
		}
		m, err := throughFiles(m)
		if err != nil {
			return err.Error()
		}
		if wrong := k.wrongIdentity(m); wrong != "" {
			return wrong
		}
		return k.wrongResult(r, m)
	})
}

// throughFiles writes a module as bytecode and reads it, and then as text.
func throughFiles(m *tileir.Module) (*tileir.Module, error) {
	data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
	if err != nil {
		return nil, err
	}
	if m, _, err = bytecode.Read(data); err != nil {
		return nil, err
	}
	return text.Parse(text.Sprint(m), text.ParseOptions{})
}

// wrongIdentity says which identity of a module is not the number.
func (k *limitKernel) wrongIdentity(m *tileir.Module) string {
	n, want := 0, 14*b2i(k.way.elem != "")
	for o := range m.All() {
		ids, _ := o.Attr("identities").(tileir.Numbers)
		for _, id := range ids {
			if n++; !k.e.same(id.Bits, k.v.bits) {
				return fmt.Sprintf("an identity is %#x, want %#x", id.Bits, k.v.bits)
			}
		}
	}
	if n != want {
		return fmt.Sprintf("%d identities, want %d", n, want)
	}
	return ""
}

// wrongResult runs a module and says which element is not what Go computes.
func (k *limitKernel) wrongResult(r *tileRunner, m *tileir.Module) string {
	got, err := k.run(r, m)
	if err != nil {
		return err.Error()
	}
	x := k.elements()
	for i, f := range k.forms {
		for j := range x {
			want := x[j]
			switch {
			case f.want == nil:
				continue
			case !f.half || j >= 2:
				want = k.e.wrap(f.want(k.e, x[j], k.v.bits))
			}
			if g := got[4*i+j]; !k.e.same(g, want) {
				return fmt.Sprintf("element %d of %s is %#x, want %#x", j, f.text, g, want)
			}
		}
	}
	return ""
}

// same compares elements; NaN may have other bits.
func (e limited) same(a, b uint64) bool {
	if a == b || !e.IsFloat() {
		return a == b
	}
	x, y := e.FloatFromBits(a), e.FloatFromBits(b)
	return x != x && y != y
}

// run launches the kernel and gives all elements that it stores.
func (k *limitKernel) run(r *tileRunner, m *tileir.Module) ([]uint64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c, err := r.dev.Compile(ctx, m, m.Entries[0].Name)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	size := k.e.Size()
	for _, b := range r.out[:2] {
		for i, x := range k.elements() {
			copy(b.Host()[i*size:], binary.LittleEndian.AppendUint64(nil, x)[:size])
		}
	}
	args := []uint64{k.v.bits, r.out[0].Address(), r.out[0].Address(), 4, 1, r.out[1].Address(), 4, 1, r.out[2].Address(), uint64(4 * len(k.forms)), 1}
	if err := r.stream.Launch(c, [3]uint32{1, 1, 1}, args); err != nil {
		return nil, err
	}
	if err := r.stream.Wait(ctx); err != nil {
		return nil, err
	}
	got := make([]uint64, 4*len(k.forms))
	for i := range got {
		var b [8]byte
		copy(b[:], r.out[2].Host()[i*size:][:size])
		got[i] = binary.LittleEndian.Uint64(b[:])
	}
	return got, nil
}

// TestLimits: the numbers that a detour through another type would change reach what a kernel computes, and the module's text and
// bytecode, in whatever way and place they are written. Every launch runs interpreted and at each level of machine code.
func TestLimits(t *testing.T) {
	r, err := newRunner(cpu.Options{Workers: 1, Twins: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if r.out[2], err = r.dev.Alloc(8 * 4 * int64(len(anyForms)+len(intForms)+len(knownForms)+len(foldForms))); err != nil {
		t.Fatal(err)
	}
	for _, e := range limitedTypes {
		t.Run(e.name, func(t *testing.T) { compareLimits(t, r, e) })
	}
}

func compareLimits(t *testing.T, r *tileRunner, e limited) {
	path := fmt.Sprintf("gogen/limits/m%d", packages.Add(1))
	source := "package limits\n\nimport (\n\t\"math\"\n\n\t\"github.com/cutile-go/cutile/dtype\"\n\t\"github.com/cutile-go/cutile/tile\"\n)\n\nvar _, _ = math.Inf, dtype.F16\n" + e.spell(helpers)
	kernels := e.kernels()
	var roots []world.Symbol
	for _, k := range kernels {
		source += k.text()
		roots = append(roots, world.Symbol{Path: path, Name: k.name})
	}
	langsrc.Register(&langsrc.Source{Path: path, Dir: path, FS: []fs.FS{fstest.MapFS{"l.go": {Data: []byte(source)}}}})
	w, err := describe.Language.Load(roots)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernels {
		v := guarded(func() verdict { return k.judge(r, w, path) })
		if v.finding+v.refused != "" {
			t.Errorf("%s, %s: %s%s\n%s", k.v.text, k.way.name, v.finding, v.refused, k.text())
		}
	}
}
