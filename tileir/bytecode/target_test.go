package bytecode_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// copies makes a kernel that copies a tile of an element type through a view.
func copies(t testing.TB, e Elem) *Module {
	t.Helper()
	b := NewBuilder()
	b.Entry("k", []Type{PointerTile(e), PointerTile(e)}, func(p []*Value) {
		i := b.Constant(IntConstant(Tile(I32), 0))
		tensor := &TensorViewType{Elem: e, Shape: []int64{128}, Strides: []int64{1}}
		part := &PartitionViewType{Tile: []int{128}, Tensor: tensor, DimMap: []int{0}, Padding: NoPadding}
		x := b.MakePartitionView(b.MakeTensorView(p[0], nil, nil, tensor), part)
		y := b.MakePartitionView(b.MakeTensorView(p[1], nil, nil, tensor), part)
		v, token := b.LoadViewTko(x, []*Value{i}, MemoryWeak)
		b.StoreViewTko(v, y, []*Value{i}, MemoryWeak, WithToken(token))
	})
	m, err := b.Build(Newest)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// adds makes a kernel that adds atomically to the elements of a type.
func adds(t testing.TB, e Elem) *Module {
	t.Helper()
	b := NewBuilder()
	b.Entry("k", []Type{PointerTile(e)}, func(p []*Value) {
		ptrs := b.Broadcast(b.Reshape(p[0], 1), 16)
		x := b.Constant(FloatConstant(Tile(e, 16), 1))
		b.AtomicRMWTko(b.Offset(ptrs, b.Iota(Tile(I32, 16))), x, MemoryRelaxed, ScopeDevice, AtomicAddF)
	})
	m, err := b.Build(Newest)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reduces does so through a view.
func reduces(t testing.TB, e Elem) *Module {
	t.Helper()
	b := NewBuilder()
	b.Entry("k", []Type{PointerTile(e)}, func(p []*Value) {
		tensor := &TensorViewType{Elem: e, Shape: []int64{128}, Strides: []int64{1}}
		part := &PartitionViewType{Tile: []int{16}, Tensor: tensor, DimMap: []int{0}, Padding: NoPadding}
		x := b.MakePartitionView(b.MakeTensorView(p[0], nil, nil, tensor), part)
		b.AtomicRedViewTko(x, []*Value{b.Constant(IntConstant(Tile(I32), 0))}, b.Constant(FloatConstant(Tile(e, 16), 1)),
			MemoryRelaxed, ScopeDevice, AtomicAddF)
	})
	m, err := b.Build(Newest)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// scales makes a scaled product, whose operands come as bytes.
func scales(t testing.TB, _ Elem) *Module {
	t.Helper()
	b := NewBuilder()
	b.Entry("k", []Type{PointerTile(I8), PointerTile(F32)}, func(p []*Value) {
		load := func(n int) *Value {
			ptrs := b.Offset(b.Broadcast(b.Reshape(p[0], 1), n), b.Iota(Tile(I32, n)))
			x, _ := b.LoadPtrTko(ptrs, MemoryWeak)
			return x
		}
		tile := func(e Elem, rows, cols int) *Value { return b.Reshape(b.Bitcast(load(rows*cols), e), rows, cols) }
		acc := b.Constant(FloatConstant(Tile(F32, 128, 32), 0))
		r := b.MmaFScaled(tile(F8E4M3FN, 128, 64), tile(F8E4M3FN, 64, 32), acc, tile(F8E8M0FNU, 128, 2), tile(F8E8M0FNU, 2, 32))
		ptrs := b.Offset(b.Broadcast(b.Reshape(p[1], 1), 4096), b.Iota(Tile(I32, 4096)))
		b.StorePtrTko(ptrs, b.Reshape(r, 4096), MemoryWeak)
	})
	m, err := b.Build(Newest)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// assemble runs tileiras for an architecture, and gives what it says when it refuses.
func assemble(t testing.TB, tool string, m *Module, v Version, arch string) (string, error) {
	t.Helper()
	data, err := bytecode.Write(m, v, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "k.tileirbc")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "--gpu-name="+arch, "-o", filepath.Join(dir, "k.cubin"), path).CombinedOutput()
	return string(out), err
}

// targetCases are kernels by what they use.
var targetCases = []struct {
	name  string
	build func(testing.TB, Elem) *Module
	elems []Elem
}{
	{"copy", copies, []Elem{I8, I64, F16, BF16, F64, F8E4M3FN, F8E5M2, F8E8M0FNU, F4E2M1FN, FNV8E5M3FNU}},
	{"atomic addf", adds, []Elem{F16, BF16, F32}},
	{"atomic view addf", reduces, []Elem{F16, BF16}},
	{"mmaf_scaled", scales, []Elem{NoElem}},
}

// TestTargets asks the real assembler for each refusal, and for an architecture or two that take the same.
func TestTargets(t *testing.T) {
	tool := testenv.Tool(t, "tileiras")
	for _, c := range targetCases {
		for _, e := range c.elems {
			m := c.build(t, e)
			taken := 0
			for i, arch := range Archs() {
				refused := VerifyTarget(m, arch)
				if refused == nil {
					if taken++; taken > 1 && i < len(Archs())-1 {
						continue // the first and the last that take it are enough
					}
				}
				out, err := assemble(t, tool, m, Newest, arch)
				if (err == nil) != (refused == nil) {
					t.Errorf("%s %v for %s: VerifyTarget says %v, tileiras %v: %s", c.name, e, arch, refused, err, out)
				}
			}
		}
	}
}

// TestVerifyTarget checks texts and what needs no tool.
func TestVerifyTarget(t *testing.T) {
	err := VerifyTarget(copies(t, F8E5M2), "sm_89")
	var v *VerifyError
	if !errors.As(err, &v) || v.Op == nil || v.Entry != "k" {
		t.Fatalf("%v", err)
	}
	for _, c := range []struct {
		m          *Module
		arch, want string
	}{
		{copies(t, F8E5M2), "sm_89", "tileir: entry k: operation 5 (load_view_tko): type f8E5M2 needs sm_90, sm_100, sm_103, sm_107, sm_110, sm_120 or sm_121, but the target is sm_89"},
		{copies(t, FNV8E5M3FNU), "sm_120", "type fnv8E5M3FNU needs sm_107, but the target is sm_120"},
		{copies(t, F4E2M1FN), "sm_90a", "type f4E2M1FN needs sm_100"},
		{adds(t, BF16), "sm_80", "atomic_rmw_tko addf of bf16 needs sm_89, sm_90"},
		{reduces(t, BF16), "sm_86", "atomic_red_view_tko addf of bf16 needs sm_89, sm_90"},
		{scales(t, NoElem), "sm_90", "needs sm_100"},
		{copies(t, F8E5M2), "sm_90", ""}, {copies(t, F4E2M1FN), "sm_100a", ""}, {adds(t, F16), "sm_80", ""}, {copies(t, F8E5M2), "sm_999", ""},
	} {
		if err := VerifyTarget(c.m, c.arch); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v\nexpected %s", c.arch, err, c.want)
		}
	}
	if Supports("sm_80", F8E4M3FN) || !Supports("sm_80", BF16) || !Supports("sm_90a", F8E4M3FN) || Supports("sm_90", F4E2M1FN) || !Supports("sm_107", FNV8E5M3FNU) {
		t.Error("Supports")
	}
	if !slices.Contains(Archs(), "sm_90") || len(Refusals()) < 4 {
		t.Error("Archs or Refusals")
	}
}
