package threadtest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/tileir"
)

// cooperativeProducts are small products of each type and way that devices have cooperative matrices for.
func cooperativeProducts() []*matrices {
	both := func(x string) [2]string { return [2]string{x, x} }
	return []*matrices{
		{batches: 2, m: 32, n: 16, k: 128, turns: 2, left: "f16", right: "f16", loaded: both("f16"), sum: "f32", begin: "memory", how: "plain", turned: [2]bool{true, true}},
		{batches: 2, m: 16, n: 32, k: 64, turns: 1, left: "f16", right: "f16", loaded: both("f16"), sum: "f16", begin: "five", how: "plain"},
		{m: 32, n: 32, k: 64, turns: 2, left: "i8", right: "i8", loaded: both("i8"), sum: "i32", begin: "memory", how: "plain", flags: " signed signed"},
		{m: 32, n: 32, k: 64, turns: 2, left: "i8", right: "i8", loaded: both("i8"), sum: "i32", begin: "zero", how: "skip", flags: " unsigned unsigned", turned: [2]bool{true, false}},
		{m: 32, n: 16, k: 32, turns: 2, left: "f8E4M3FN", right: "f8E4M3FN", loaded: both("f8E4M3FN"), sum: "f32", begin: "zero", how: "plain"},
	}
}

// cooperative reports whether a kernel has products by cooperative matrices.
func cooperative(code *vulkan.Code) (bool, error) {
	m, err := spirv.ReadWords(code.Words)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(m.Instrs, func(in spirv.Instr) bool { return in.Op == spirv.OpCooperativeMatrixMulAddKHR }), nil
}

// TestCooperative compiles products for a device that has cooperative matrices of all types that kernels use, without a driver: they use them, and
// the verifiers accept them.
func TestCooperative(t *testing.T) {
	bf16 := *cooperativeProducts()[0]
	bf16.left, bf16.right, bf16.loaded = "bf16", "bf16", [2]string{"bf16", "bf16"}
	for _, p := range append(cooperativeProducts(), &bf16) {
		prog, err := p.program()
		if err != nil {
			t.Fatal(err)
		}
		code, err := threadtest.Checked(t.Context(), prog.Module, prog.Module.Entries[0].Name, vulkan.Typical())
		if err != nil {
			t.Fatalf("%+v: %v", *p, err)
		}
		if yes, err := cooperative(code); !yes || err != nil {
			t.Errorf("%+v: there are matrices: %t, %v", *p, yes, err)
		}
	}
}

// TestProductsVulkan multiplies the matrices of TestProducts by the cooperative matrices of a Vulkan device: small ones with each beginning in
// each kind of loop, and THREADFUZZ_PRODUCTS random ones. It needs a device that has such; "matrices" in CUTILE_REQUIRE makes their lack a failure.
func TestProductsVulkan(t *testing.T) {
	info := threadtest.NeedsVulkan(t)
	used, all := 0, 0
	o := vulkan.Usual()
	o.Compiler = func(ctx context.Context, m *tileir.Module, entry string, c vulkan.Caps) (*vulkan.Code, error) {
		code, err := threadtest.Checked(ctx, m, entry, c)
		if err != nil {
			return nil, err
		}
		all++
		yes, err := cooperative(code)
		if yes {
			used++
		}
		return code, err
	}
	d, err := vulkan.Open(info.Ordinal, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if len(d.Caps().Threads().Matrices) == 0 {
		testenv.Missing(t, "matrices", errors.New("the device has no cooperative matrices"))
	}
	e := threadtest.Vulkan(d)
	run := func(p *matrices, seed uint64) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if err := p.run(e, seed, 0); err != nil {
				t.Errorf("seed %d, %+v: %v", seed, *p, err)
			}
		})
	}
	for i, p := range append(smallProducts(), cooperativeProducts()...) {
		if p.left != "f32" { // which no cooperative matrices have
			run(p, uint64(i))
		}
	}
	if used < all {
		t.Errorf("of %d kernels only %d have cooperative matrices", all, used)
	}
	first := uint64(number("THREADFUZZ_SEED", 100))
	for seed := first; seed < first+uint64(number("THREADFUZZ_PRODUCTS", 6)); seed++ {
		run(newProduct(seed), seed)
	}
	t.Logf("of %d kernels %d have cooperative matrices", all, used)
}
