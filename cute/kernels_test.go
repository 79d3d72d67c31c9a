package cute_test

// Host functions and kernels of the tests of this package.

import (
	"fmt"
	"math"
	"reflect"

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

// smemKernel takes shared memory.
func smemKernel(x cute.Tensor[float32]) (_ cute.Kernel) {
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(64)), 16)
	i := cute.ThreadIdx().X
	s.Set(x.At(i), i)
	cute.SyncThreads()
	x.Set(s.At(63-i), i)
	return
}

func reversed(x cute.Tensor[float32], bytes cute.Constexpr[int]) error {
	smemKernel(x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(64, 1, 1), Smem: bytes.V, MinBlocksPerSM: 2})
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

// held is an argument by protocol: what it holds is not for compiled code.
type held struct {
	secret map[string]int
	n      int
}

func (h held) CuteTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[int32](), reflect.TypeFor[float32]()}
}
func (h held) CuteArgs() []any { return []any{h.secret["n"] + h.n, 0.5} }

func (h held) CuteFromValues(values []any) held {
	return held{n: int(values[0].(int32)) + int(values[1].(float32)*2)}
}

func (h held) CuteValues() []any { return []any{h.n} }

func useHandle(h held) error {
	cute.Printf("%d\n", h.n)
	return nil
}

// hostOnly lacks what kernels need.
type hostOnly struct{ n int }

func (h hostOnly) CuteTypes() []reflect.Type            { return []reflect.Type{reflect.TypeFor[int]()} }
func (h hostOnly) CuteArgs() []any                      { return []any{h.n} }
func (h hostOnly) CuteFromValues(values []any) hostOnly { return hostOnly{values[0].(int)} }

func hostOnlyKernel(h hostOnly) (_ cute.Kernel) {
	cute.Printf("%d\n", h.n)
	return
}

func useHostOnly(h hostOnly, inKernel cute.Constexpr[bool]) error {
	if inKernel.V {
		hostOnlyKernel(h).Launch(one())
	}
	cute.Printf("%d\n", h.n)
	return nil
}

func one() cute.Launch { return cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)} }

// listed is an argument by protocol whose lists a test chooses.
type listed struct {
	types []reflect.Type
	args  []any
}

func (l listed) CuteTypes() []reflect.Type   { return l.types }
func (l listed) CuteArgs() []any             { return l.args }
func (l listed) CuteFromValues([]any) listed { return listed{} }

// panicking is a type of a user who makes mistakes.
type panicking struct{ where string }

func (p panicking) CuteTypes() []reflect.Type {
	if p.where == "types" {
		panic("no types")
	}
	return []reflect.Type{reflect.TypeFor[int]()}
}

func (p panicking) CuteArgs() []any {
	if p.where == "args" {
		panic("no arguments")
	}
	return []any{1}
}

func (p panicking) CuteFromValues([]any) panicking { return p }

// deviceOnly is the listing of the seed: a tensor with an offset, for kernels.
type deviceOnly struct {
	tensor cute.Tensor[float32]
	offset int
}

func (d deviceOnly) CuteValues() []any { return []any{d.tensor, d.offset + 1} }
func (d deviceOnly) CuteFromValues(values []any) deviceOnly {
	return deviceOnly{values[0].(cute.Tensor[float32]), values[1].(int) + 10}
}

// nested holds two of them: each gives its own values.
type nested struct {
	a, b deviceOnly
	c    float32
}

func (n nested) CuteValues() []any {
	return append(append(n.a.CuteValues(), n.b.CuteValues()...), n.c)
}

func (n nested) CuteFromValues(v []any) nested {
	return nested{n.a.CuteFromValues(v[:2]), n.b.CuteFromValues(v[2:4]), v[4].(float32)}
}

func deviceKernel(other, d deviceOnly) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	d.tensor.Set(float32(d.offset), i)
	return
}

func nestedKernel(n nested) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	n.a.tensor.Set(n.a.tensor.At(i)+float32(n.a.offset)+n.c, i)
	n.b.tensor.Set(float32(n.b.offset)-n.c, i)
	return
}

func useDevice(x, y cute.Tensor[float32], offset int) error {
	l := cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(4, 1, 1)}
	deviceKernel(deviceOnly{y, 0}, deviceOnly{x, offset}).Launch(l)
	nestedKernel(nested{deviceOnly{x, offset}, deviceOnly{y, 2 * offset}, 0.5}).Launch(l)
	return nil
}

func takeDevice(d deviceOnly) error { return nil }

// framework stands for a type of others, which an adapter knows.
type framework struct{ data any }

func useFramework(x cute.Tensor[float32], f float32) error { return runScale(x, f) }

// opaque is known through an adapter that gives an argument by protocol.
type opaque struct{ n int }

type opaqueAdapter struct{ n int }

func (a opaqueAdapter) CuteTypes() []reflect.Type          { return []reflect.Type{reflect.TypeFor[int]()} }
func (a opaqueAdapter) CuteArgs() []any                    { return []any{a.n} }
func (a opaqueAdapter) CuteFromValues(values []any) opaque { return opaque{values[0].(int) * 2} }

func useOpaque(x opaque, y any) error {
	cute.Printf("%d\n", x.n)
	if y, ok := y.(opaque); ok {
		cute.Printf("%d\n", y.n)
	}
	return nil
}

func useChannel(c chan int) error { return nil }

func notLaunched(x cute.Tensor[float32]) error {
	_ = scale(x, 1)
	return nil
}

func clustered(x cute.Tensor[float32]) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(4, 1, 1), Block: cute.D3(16, 1, 1), Cluster: cute.D3(2, 1, 1)})
	return nil
}

func noBlock(x cute.Tensor[float32]) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(1, 1, 1)})
	return nil
}

func dynamicBlock(x cute.Tensor[float32], n int) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(n, 1, 1)})
	return nil
}

func gridOf(x cute.Tensor[float32], n int) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(n, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

// counter is a variable, whose value is not in the source.
var counter = 3

func readsGlobal(x int) error {
	cute.Printf("%d\n", x+counter)
	return nil
}

func bigShared(x cute.Tensor[float32], bytes int) error {
	smemKernel(x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(64, 1, 1), Smem: bytes})
	return nil
}

func fillRowsKernel(x cute.Tensor[float32]) (_ cute.Kernel) {
	r := cute.BlockIdx().X
	for c := range x.Size(1) {
		x.Set(float32(r*100+c), r, c)
	}
	return
}

func fillRows(x cute.Tensor[float32]) error {
	fillRowsKernel(x).Launch(cute.Launch{Grid: cute.D3(x.Size(0), 1, 1), Block: cute.D3(1, 1, 1)})
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

// product is C = op(A * B^T) for one tile: its kernel has the kinds of parameter of the seed's second listing.
type product struct {
	m, n    int
	through bool // an atom for C is given
}

func (p product) kernel(mma cute.TiledMma, atomA cute.CopyAtom, mA, mB, mC cute.Tensor[float32], atomC *cute.CopyAtom, cluster cute.Layout,
	smemA cute.ComposedLayout, smemC cute.Tiler, epiTile cute.Tile, op cute.Constexpr[epilogue]) (_ cute.Kernel) {
	fmt.Println(cluster, smemA, epiTile, atomC != nil)
	thr := mma.Slice(cute.ThreadIdx().X)
	sA := cute.Alloc[float32](smemA, 16)
	for i := range cute.Unroll(2) {
		k := cute.ThreadIdx().X + 32*i
		sA.Set(mA.At(k%8, k/8), k%8, k/8)
	}
	cute.SyncThreads()
	gA, gB, gC := cute.PartitionA(thr, sA), cute.PartitionB(thr, mB), cute.PartitionC(thr, mC)
	rA, rB := cute.MakeFragmentA(mma, gA), cute.MakeFragmentB(mma, gB)
	cute.CopyWith(atomA, gA, rA)
	cute.Copy(gB, rB)
	acc := cute.MakeAccumulators[float32](mma, cute.S(p.m, p.n))
	cute.Gemm(mma, acc, rA, rB, acc)
	for i := range cute.Unroll(acc.Size()) {
		acc.Set(op.V(acc.At(i)), i)
	}
	if l, ok := smemC.(cute.Layout); ok {
		fmt.Println(l)
	}
	if atomC != nil {
		cute.CopyWith(*atomC, acc, gC)
	} else {
		cute.Copy(acc, gC)
	}
	return
}

func (p product) run(a, b, c cute.Tensor[float32], op cute.Constexpr[epilogue]) error {
	mma := cute.MakeTiledMma(cute.MmaFMA[float32](), cute.MakeLayout(cute.S(p.m, p.n, 1)))
	atom := cute.MakeCopyAtom[float32](cute.CopyUniversal32)
	smem := cute.Swizzle{Bits: 1, Base: 2, Shift: 3}.Of(cute.MakeLayout(cute.S(8, 8), cute.S(8, 1)))
	var atomC *cute.CopyAtom
	var smemC cute.Tiler
	if p.through {
		atomC, smemC = &atom, cute.MakeLayout(cute.S(p.m, p.n))
	}
	tile := cute.Tile{cute.MakeLayout(cute.I(p.m)), cute.MakeLayout(cute.I(p.n))}
	p.kernel(mma, atom, a, b, c, atomC, cute.MakeLayout(cute.S(1, 1)), smem, smemC, tile, op).
		Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(mma.Size(), 1, 1)})
	return nil
}

func takesAtom(a cute.CopyAtom) error { return nil }

// shift copies boxes of 16 columns and 8 rows from one tensor to another, one row further down.
func shiftKernel(from, to cute.TensorMap) (_ cute.Kernel) {
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(16, 8)), 128)
	bars := cute.MakeMbarriers(1)
	col, row := cute.BlockIdx().X*16, cute.BlockIdx().Y*8
	if i := cute.ThreadIdx().X; i == 0 {
		bars.Init(0, 1)
		cute.FenceBarrierInit()
		bars.ArriveExpect(0, 512)
		cute.TensorLoad(from, s, bars, 0, col, row)
	}
	cute.SyncThreads()
	bars.Wait(0, 0)
	if i := cute.ThreadIdx().X; i == 0 {
		cute.TensorStore(to, s, col, row+1)
		cute.BulkCommit()
		cute.BulkWait(0)
	}
	return
}

func shiftRows(from, to cute.TensorMap, rows, cols int) error {
	shiftKernel(from, to).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(cols, 16), cute.CeilDiv(rows, 8), 1), Block: cute.D3(32, 1, 1)})
	return nil
}

func flatBlock(x cute.Tensor[float32]) error {
	scale(x, 2).Launch(cute.Launch{Block: cute.D3(16, 0, 1)})
	return nil
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

// loud prints from each thread of a kernel.
func loud(x cute.Tensor[float32]) (_ cute.Kernel) {
	cute.Printf("%v\n", x.At(cute.ThreadIdx().X))
	return
}

func runLoud(x cute.Tensor[float32]) error {
	loud(x).Launch(cute.Launch{Block: cute.D3(4, 1, 1)})
	return nil
}

// late prints at the end of a long loop; no argument names a device that could be waited for.
func late(turns int) error {
	lateKernel(turns).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

func lateKernel(turns int) (_ cute.Kernel) {
	sum := 0
	for i := range turns {
		sum += i % 7
	}
	cute.Printf("late %d\n", sum)
	return
}

func runOnGrid(x cute.Tensor[float32], n int) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(n, 1, 1), Block: cute.D3(64, 1, 1)})
	return nil
}

func tooShared(x cute.Tensor[float32]) (_ cute.Kernel) {
	cute.Alloc[float32](cute.MakeLayout(cute.S(4)), 16)
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(1<<20)), 16) // the one that is too large
	x.Set(s.At(0), 0)
	return
}

func runTooShared(x cute.Tensor[float32]) error {
	tooShared(x).Launch(cute.Launch{Block: cute.D3(4, 1, 1)})
	return nil
}

func runTooSmem(x cute.Tensor[float32]) error {
	scale(x, 2).Launch(cute.Launch{Block: cute.D3(4, 1, 1), Smem: 1 << 20}) // Smem is too large
	return nil
}
