package cute_test

// Host functions and kernels of the tests of this package.

import (
	"fmt"
	"math"

	"github.com/cutile-go/cutile/cute"
)

// foo is the first listing of the seed on arguments.
func foo(x int32, y cute.Constexpr[int]) error {
	fmt.Println("x =", x)
	fmt.Println("y =", y.V)
	cute.Printf("x: %v\n", x)
	cute.Printf("y: %v\n", y.V)
	return nil
}

// typed is the listing on type safety.
func typed(x cute.Tensor[cute.Float16], y cute.Float16) error { return nil }

func scale(x cute.Tensor[float32], f float32) (_ cute.Kernel) {
	i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	if i < x.Size() {
		x.Set(f*x.At(i), i)
	}
	return
}

func grid(n int) cute.Launch {
	return cute.Launch{Grid: cute.D3(cute.CeilDiv(n, 64), 1, 1), Block: cute.D3(64, 1, 1)}
}

func runScale(x cute.Tensor[float32], f float32) error {
	scale(x, f).Launch(grid(x.Size()))
	return nil
}

// epilogue is a function that becomes part of a kernel.
type epilogue = func(float32) float32

func relu(x float32) float32  { return max(x, 0) }
func twice(x float32) float32 { return 2 * x }

// elsewhere uses a function of a file that is not embedded.
func elsewhere(x float32) float32 { return notEmbedded(x) }

func mapped(x cute.Tensor[float32], epi cute.Constexpr[epilogue]) (_ cute.Kernel) {
	i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	if i < x.Size() {
		x.Set(epi.V(x.At(i)), i)
	}
	return
}

func runMap(x cute.Tensor[float32], epi cute.Constexpr[epilogue]) error {
	mapped(x, epi).Launch(grid(x.Size()))
	return nil
}

// runTwo launches one kernel with two functions.
func runTwo(x cute.Tensor[float32]) error {
	mapped(x, cute.C[epilogue](relu)).Launch(grid(x.Size()))
	mapped(x, cute.C[epilogue](func(v float32) float32 { return v + 1 })).Launch(grid(x.Size()))
	return nil
}

// sum has results.
func sum(a, b int) (int, bool, error) { return a + b, a < b, nil }

// config is a receiver, which is static.
type config struct {
	block int
	add   float32
}

func (c config) kernel(x cute.Tensor[float32]) (_ cute.Kernel) {
	i := cute.BlockIdx().X*c.block + cute.ThreadIdx().X
	if i < x.Size() {
		x.Set(x.At(i)+c.add, i)
	}
	return
}

func (c config) run(x cute.Tensor[float32]) error {
	c.kernel(x).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(x.Size(), c.block), 1, 1), Block: cute.D3(c.block, 1, 1)})
	return nil
}

// mixed holds dynamic and static fields.
type mixed struct {
	X     cute.Tensor[float32]
	Scale float32
	Turns cute.Constexpr[int]
	Pair  [2]int32
}

func mixedKernel(m mixed) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	v := m.X.At(i)
	for range cute.Unroll(m.Turns.V) {
		v *= m.Scale
	}
	m.X.Set(v+float32(m.Pair[0]-m.Pair[1]), i)
	return
}

func runMixed(m mixed) error {
	mixedKernel(m).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(4, 1, 1)})
	return nil
}

// show prints what an argument is while the function is compiled.
func show(x any) error {
	fmt.Println(x)
	switch x := x.(type) {
	case int:
		cute.Printf("int %d\n", x)
	case float64:
		cute.Printf("float64 %g\n", x)
	case bool:
		cute.Printf("bool %v\n", x)
	case nil:
		cute.Printf("nil\n")
	case []any:
		cute.Printf("%d values, the first %v\n", len(x), x[0].(int))
	}
	return nil
}

// optional takes a bias or none.
func optional(x cute.Tensor[float32], bias *float32) error {
	b := float32(0)
	if bias != nil {
		b = *bias
	}
	config{4, 0}.shift(x, b).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(4, 1, 1)})
	return nil
}

func (c config) shift(x cute.Tensor[float32], b float32) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	x.Set(x.At(i)+b, i)
	return
}

// tiled takes any tiler.
func tiled(l cute.Layout, t cute.Tiler) error {
	fmt.Println(cute.ZippedDivide(l, t))
	return nil
}

// shaped prints a layout that is made of dynamic and static integers, in a kernel.
func shaped(s cute.Shape, n int) error {
	fmt.Println(s)
	l := cute.MakeLayout(cute.S(n, 2))
	fmt.Println(l)
	shapedKernel(l).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

func shapedKernel(l cute.Layout) (_ cute.Kernel) {
	cute.Printf("%v of %d\n", l, l.Size())
	return
}

// straight has a loop, and on demand a dynamic condition.
func straight(n cute.Constexpr[int], dynamic int, cond cute.Constexpr[bool]) error {
	for i := range n.V {
		fmt.Println("turn", i)
	}
	if cond.V {
		if dynamic > 1 {
			cute.Printf("more\n")
		}
	}
	return nil
}

func straightRange() error {
	for _, r := range [...]cute.RangeOf{
		{From: 2, To: 9, Step: 3}, {From: -7, To: -5}, {From: 5, To: 5}, {From: 6, To: 5}, {From: math.MaxInt64 - 2, To: math.MaxInt64},
		{From: math.MinInt64, To: math.MaxInt64, Step: math.MaxInt64},
	} {
		for i := range cute.Range(r) {
			fmt.Println(i)
		}
	}
	return nil
}

// named takes a text.
func named(s cute.Constexpr[string], x int) error {
	cute.Printf("%s %d\n", s.V, x)
	return nil
}

func plainText(s string) error { return nil }

// staticTest needs what it may not get.
func staticTest(x int) error {
	if cute.ConstExpr(x > 0) {
		fmt.Println("positive")
	}
	return nil
}

func callsStaticTest(x int) error { return staticTest(x) }

func unrolled(x int) error {
	for range cute.Unroll(x) {
		fmt.Println("turn")
	}
	return nil
}

// broken does what cannot be compiled.
func broken(x int) error {
	go func() {}()
	return nil
}

// inner is called by outer.
func inner(x cute.Tensor[float32], f float32) error {
	scale(x, f).Launch(grid(x.Size()))
	return nil
}

func outer(x cute.Tensor[float32]) error {
	if err := inner(x, 2); err != nil {
		return err
	}
	return inner(x, 5)
}

// outside reads behind the tensor.
func outside(x cute.Tensor[float32]) (_ cute.Kernel) {
	x.Set(1, x.Size()+100)
	return
}

func runOutside(x cute.Tensor[float32]) error {
	outside(x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

// chained launches on two streams, in order by tokens.
func chained(x, y cute.Tensor[float32], s1, s2 cute.Stream) error {
	l := grid(x.Size())
	l.Stream = s1
	first := scale(x, 2).Launch(l)
	l.Stream, l.After = s2, []cute.Token{first}
	scale(y, 3).Launch(l)
	return nil
}

// asserted has an assertion.
func assertKernel(x cute.Tensor[float32]) (_ cute.Kernel) {
	cute.Assert(x.At(0) > 0, "x must be positive")
	return
}

func runAssert(x cute.Tensor[float32]) error {
	assertKernel(x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

func shiftUp(x float32) float32 { return x + 1 }

// branchType changes a variable's type in a branch, as far as Go lets it.
func branchType(x int) error {
	var v any = 1
	if x > 0 {
		v = 2.5
	}
	fmt.Println(v)
	return nil
}

func breaks(n int) (int, error) {
	turns := 0
	for range n {
		if turns == 10 {
			break
		}
		turns++
	}
	return turns, nil
}

func assigned(x int) (int, error) {
	v := 7
	if x > 0 {
		v = 5
	}
	return v, nil
}

func takesMap(m map[string]int) error { return nil }

// literal is a function that is found by its place.
var literal epilogue = func(v float32) float32 { return v + 1 }

// capturing gives a function that no source says all of.
func capturing(by float32) epilogue { return func(v float32) float32 { return v * by } }

// counter is a variable, whose value is not in the source.
var counter = 3

func readsGlobal(x int) error {
	cute.Printf("%d\n", x+counter)
	return nil
}

// generic works on any element.
func genericKernel[T cute.Num](x cute.Tensor[T], by T) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	x.Set(x.At(i)*by, i)
	return
}

func generic[T cute.Num](x cute.Tensor[T], by T) error {
	genericKernel(x, by).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(4, 1, 1)})
	return nil
}

// asLiteral is a host function without a name.
var asLiteral = cute.Jit(func(x cute.Tensor[float32]) error {
	scale(x, 7).Launch(grid(x.Size()))
	return nil
})

func noError(x int) int { return x }

// rest takes any number of numbers.
func rest(x cute.Tensor[float32], by ...float32) error {
	for _, f := range by {
		scale(x, f).Launch(grid(x.Size()))
	}
	return nil
}

// numbers gives results of every kind.
func numbers(a int8, b uint16, c float64, d cute.Float16) (int8, uint16, float64, cute.Float16, bool, error) {
	return -a, b + 1, c / 2, d * 3, a < 0, nil
}

// turns keeps the variables of a loop beyond their turns.
func turns(n int) (out []int) {
	var fs []func() int
	var ps []*int
	var as []*[2]int
	for i, j, a := 0, 10, [2]int{1, 2}; i < n; i, j, a[0] = i+1, j-1, a[0]+a[1] {
		fs = append(fs, func() int { i += 100; a[1]++; return i*1000 + j })
		ps, as = append(ps, &j), append(as, &a)
		if i == 2 {
			continue
		}
		a[1] += i
		j += 3
	}
	for k, f := range fs {
		x := f()
		*ps[k] += 7
		out = append(out, x, f(), *ps[k], as[k][0], as[k][1])
	}
	for i := 0; i < 2; i++ {
		i := i
		out = append(out, i)
	}
	return out
}

func printTurns(n cute.Constexpr[int]) error {
	for i, x := range turns(n.V) {
		fmt.Println(i, x)
	}
	return nil
}
