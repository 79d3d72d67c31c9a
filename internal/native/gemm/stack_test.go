package gemm

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"
)

// TestStacks runs small products wherever the stack is when it grows, in a process in which stacks that were left fault: no
// operand may lie there.
func TestStacks(t *testing.T) {
	const env = "CUTILE_TEST_STACKS"
	if os.Getenv(env) != "" {
		testStacks(t)
		return
	}
	targets(t)
	c := exec.Command(os.Args[0], "-test.run=^TestStacks$")
	c.Env = append(os.Environ(), env+"=1", "GODEBUG=efence=1")
	out, err := c.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("programs do not run as children: ", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func testStacks(t *testing.T) {
	target := targets(t)[0]
	for _, kind := range []Kind{F32, BF16, U8U8} {
		const m, n, k = 2, 2, 3
		e := kind.Elem()
		p := newProblem(rand.New(rand.NewPCG(1, 1)), kind, m, n, k, Layout{20 * e, 3 * e}, Layout{20 * e, 3 * e})
		product, err := NewProduct(target, ProductSpec{Kind: kind, M: m, N: n, K: k, A: p.a.layout, B: p.b.layout, Shared: true}, p.a.at, p.b.at, NewCache(0))
		if err != nil {
			t.Fatal(err)
		}
		c := p.newC(n * kind.Acc())
		want := p.reference(c, n*kind.Acc(), false)
		for depth := range 300 {
			done := make(chan struct{})
			go func() { // on a fresh, small stack
				defer close(done)
				deep(depth, func() { product.Block(new(Worker), 0, 0, Sums{unsafe.Pointer(&c[0]), n * kind.Acc()}, Sums{}) })
			}()
			<-done
			if diff := p.differ(c, want); diff != "" {
				t.Fatalf("%v, %d calls deep: %s", kind, depth, diff)
			}
			clear(c)
		}
	}
}

// deep calls a function from other calls.
//
//go:noinline
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}
