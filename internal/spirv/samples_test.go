package spirv_test

import (
	"math"

	"github.com/cutile-go/cutile/internal/spirv"
)

// ID is short for the tests.
type ID = spirv.ID

// sample is a module that the builder makes.
type sample struct {
	name  string
	newer bool // spirv-val knows what it uses since 2025 only
	build func() *spirv.Module
}

// smallest is a kernel that does nothing.
func smallest() *spirv.Module {
	b := spirv.New(spirv.Options{})
	b.Kernel("nothing", 1, 1, 1)
	b.End()
	return b.Finish()
}

// samples gives modules that together use everything that the builder has, in both memory models and several versions where it
// makes a difference.
func samples() []sample {
	list := []sample{{"smallest", false, smallest}}
	add := func(name string, newer bool, f func(b *spirv.Builder), options ...spirv.Options) {
		for _, o := range options {
			title := name
			if o.Vulkan {
				title += " vulkan"
			}
			if o.Version != 0 {
				title += " " + o.Version.String()
			}
			list = append(list, sample{title, newer, func() *spirv.Module {
				b := spirv.New(o)
				f(b)
				return b.Finish()
			}})
		}
	}
	both := []spirv.Options{{}, {Vulkan: true}, {Version: spirv.V1_3}, {Vulkan: true, Version: spirv.V1_6, Exact: true}}
	add("add", false, addKernel, both...)
	add("sum", false, sumKernel, both...)
	add("product", false, productKernel, both...)
	add("control", false, controlKernel, both...)
	add("atomics", false, atomicsKernel, both...)
	add("numbers", false, numbersKernel, both...)
	add("subgroup", false, subgroupKernel, both...)
	add("functions", false, functionsKernel, both...)
	add("parts", false, partsKernel, both...)
	add("fused", true, fusedKernel, both...)
	add("pointers", false, pointersKernel, both...)
	add("words", false, wordsKernel, spirv.Options{}, spirv.Options{Vulkan: true, Version: spirv.V1_6})
	add("integer matrix", true, func(b *spirv.Builder) { matrixKernel(b, b.Int(8), b.Int(32), 15) }, spirv.Options{Vulkan: true}, spirv.Options{Vulkan: true, Version: spirv.V1_6})
	add("float matrix", true, func(b *spirv.Builder) { matrixKernel(b, b.Float(16), b.Float(32), 0) }, spirv.Options{Vulkan: true})
	add("bfloat16 matrix", true, func(b *spirv.Builder) { matrixKernel(b, b.FloatOf(spirv.FPEncodingBFloat16KHR), b.Float(32), 0) }, spirv.Options{Vulkan: true})
	add("float8 matrix", true, func(b *spirv.Builder) { matrixKernel(b, b.FloatOf(spirv.FPEncodingFloat8E4M3EXT), b.Float(32), 0) }, spirv.Options{Vulkan: true})
	add("small floats", true, smallFloatsKernel, both...)
	return list
}

// global gives the number of the invocation among all of a kernel with size invocations a workgroup.
func global(b *spirv.Builder, size int) ID {
	group := b.Extract(b.BuiltIn(spirv.BuiltInWorkgroupId), 0)
	return b.Binary(spirv.OpIAdd, b.Binary(spirv.OpIMul, group, b.ConstUint(uint32(size))), b.BuiltIn(spirv.BuiltInLocalInvocationIndex))
}

// one says what an If without results runs.
func one(f func()) func() []ID {
	return func() []ID { f(); return nil }
}

// addKernel adds two arrays, with lines and names.
func addKernel(b *spirv.Builder) {
	f32, u32, u64 := b.Float(32), b.Uint(32), b.Uint(64)
	b.PushConstants(u64, u64, u32, f32, u64)
	b.FloatMode(spirv.ExecutionModeSignedZeroInfNanPreserve, 32)
	b.FloatMode(spirv.ExecutionModeRoundingModeRTE, 32)
	b.FloatMode(spirv.ExecutionModeDenormPreserve, 32)
	b.Kernel("add", 64, 1, 1)
	b.Line("add.go", 7, 3)
	i := global(b, 64)
	b.Name(i, "i")
	x, y, z := b.PushConstant(0), b.PushConstant(1), b.PushConstant(4)
	b.Line("add.go", 8, 1)
	b.If(b.Compare(spirv.OpULessThan, i, b.PushConstant(2)), one(func() {
		sum := b.Binary(spirv.OpFAdd, b.LoadAt(f32, b.Address(x, i, 4), 4), b.LoadAt(f32, b.Address(y, i, 4), 4, spirv.MemoryAccessVolatile))
		b.Line("", 0, 0)
		b.StoreAt(b.Address(z, i, 4), b.Binary(spirv.OpFMul, sum, b.PushConstant(3)), 4)
	}), nil)
	b.End()
}

// sumKernel adds rows by shuffles and workgroup memory.
func sumKernel(b *spirv.Builder) {
	f32, u32, u64 := b.Float(32), b.Uint(32), b.Uint(64)
	b.PushConstants(u64, u64, u32)
	parts := b.Shared(f32, 32)
	b.Kernel("sum", 128, 1, 1)
	lane, row := b.BuiltIn(spirv.BuiltInLocalInvocationIndex), b.Extract(b.BuiltIn(spirv.BuiltInWorkgroupId), 0)
	n := b.PushConstant(2)
	base := b.Address(b.PushConstant(0), b.Binary(spirv.OpIMul, row, n), 4)
	sum := b.While([]ID{lane, b.ConstFloat(32, 0)}, func(v []ID) ID { return b.Compare(spirv.OpULessThan, v[0], n) }, func(v []ID) []ID {
		return []ID{b.Binary(spirv.OpIAdd, v[0], b.ConstUint(128)), b.Binary(spirv.OpFAdd, v[1], b.LoadAt(f32, b.Address(base, v[0], 4), 4))}
	})[1]
	for mask := uint32(1); mask < 4; mask *= 2 {
		sum = b.Binary(spirv.OpFAdd, sum, b.Shuffle(spirv.OpGroupNonUniformShuffleXor, sum, b.ConstUint(mask)))
	}
	b.If(b.Compare(spirv.OpIEqual, b.BuiltIn(spirv.BuiltInSubgroupLocalInvocationId), b.ConstUint(0)), one(func() {
		b.Store(b.Index(parts, b.Binary(spirv.OpUMod, b.BuiltIn(spirv.BuiltInSubgroupId), b.ConstUint(32))), sum)
	}), nil)
	b.Barrier(spirv.MemorySemanticsWorkgroupMemory)
	b.If(b.Compare(spirv.OpIEqual, lane, b.ConstUint(0)), one(func() {
		total := b.Loop([]ID{b.ConstUint(0), b.ConstFloat(32, 0)}, func(l *spirv.Loop, v []ID) []ID {
			l.Control(spirv.LoopControlDontUnroll)
			l.BreakUnless(b.Compare(spirv.OpULessThan, v[0], b.BuiltIn(spirv.BuiltInNumSubgroups)), v[1])
			return []ID{b.Binary(spirv.OpIAdd, v[0], b.ConstUint(1)), b.Binary(spirv.OpFAdd, v[1], b.Load(b.Index(parts, v[0])))}
		})
		b.StoreAt(b.Address(b.PushConstant(1), row, 4), total[0], 4)
	}), nil)
	b.End()
}

// productKernel multiplies matrices by way of an array of the function.
func productKernel(b *spirv.Builder) {
	f32, u32, u64 := b.Float(32), b.Uint(32), b.Uint(64)
	b.PushConstants(u64, u64, u64, u32)
	b.Kernel("product", 8, 8, 1)
	sums := b.Local(b.Array(f32, 16))
	id := b.BuiltIn(spirv.BuiltInLocalInvocationId)
	k := b.PushConstant(3)
	upTo := func(n ID, body func(i ID)) {
		b.While([]ID{b.ConstUint(0)}, func(v []ID) ID { return b.Compare(spirv.OpULessThan, v[0], n) }, func(v []ID) []ID {
			body(v[0])
			return []ID{b.Binary(spirv.OpIAdd, v[0], b.ConstUint(1))}
		})
	}
	upTo(b.ConstUint(16), func(i ID) { b.Store(b.Index(sums, i), b.ConstFloat(32, 0)) })
	upTo(k, func(at ID) {
		x := b.LoadAt(b.Vector(f32, 4), b.Address(b.PushConstant(0), at, 16), 16)
		upTo(b.ConstUint(16), func(i ID) {
			y := b.LoadAt(f32, b.Address(b.PushConstant(1), b.Binary(spirv.OpIAdd, b.Binary(spirv.OpIMul, at, b.ConstUint(16)), i), 4), 4)
			p := b.Index(sums, i)
			z := b.GLSL(spirv.GLSLFma, f32, b.Extract(x, 1), y, b.Load(p))
			b.Store(p, b.Binary(spirv.OpFAdd, z, b.Op(spirv.OpVectorExtractDynamic, f32, x, b.Binary(spirv.OpBitwiseAnd, i, b.ConstUint(3)))))
		})
	})
	upTo(b.ConstUint(16), func(i ID) {
		at := b.Binary(spirv.OpIAdd, b.Binary(spirv.OpIMul, b.Extract(id, 1), b.ConstUint(16)), i)
		b.StoreAt(b.Address(b.PushConstant(2), at, 4), b.Load(b.Index(sums, i)), 4)
	})
	b.End()
}

// controlKernel has every kind of control flow, some of it dead.
func controlKernel(b *spirv.Builder) {
	u32, u64 := b.Uint(32), b.Uint(64)
	b.PushConstants(u64, u32)
	b.Kernel("control", 32, 1, 1)
	n, zero, step := b.PushConstant(1), b.ConstUint(0), b.ConstUint(1)
	less := func(x, y ID) ID { return b.Compare(spirv.OpULessThan, x, y) }
	inc := func(x ID) ID { return b.Binary(spirv.OpIAdd, x, step) }
	sum := b.Loop([]ID{zero, zero}, func(l *spirv.Loop, v []ID) []ID {
		b.If(less(n, v[0]), one(func() { l.Break(v[1], zero) }), nil)
		b.If(less(v[1], v[0]), one(func() {
			b.If(less(step, v[0]), one(func() { l.Continue(inc(v[0]), inc(v[1])) }), one(func() { l.Break(v[0], v[1]) }))
		}), one(func() {
			b.Loop(nil, func(l *spirv.Loop, _ []ID) []ID {
				b.If(less(v[0], step), one(func() { l.Break() }), one(func() { b.Return() }))
				b.StoreAt(b.PushConstant(0), n, 4) // never
				b.Loop([]ID{v[0]}, func(l *spirv.Loop, w []ID) []ID { l.Break(w[0]); return w })
				return nil
			})
		}))
		r := b.If(less(v[0], n), func() []ID { return []ID{inc(v[0]), n} }, func() []ID {
			return b.If(less(v[1], n), func() []ID { return []ID{zero, n} }, func() []ID { b.Return(); return []ID{zero, zero} })
		})
		return []ID{r[0], b.Binary(spirv.OpIAdd, v[1], r[1])}
	})
	forever := b.If(less(sum[0], n), func() []ID {
		b.Loop([]ID{sum[0]}, func(_ *spirv.Loop, v []ID) []ID { return []ID{inc(v[0])} })
		return []ID{zero}
	}, func() []ID { return []ID{sum[1]} })
	b.StoreAt(b.Address(b.PushConstant(0), global(b, 32), 4), forever[0], 4)
	b.Loop(nil, func(l *spirv.Loop, _ []ID) []ID { l.Break(); return nil })
	b.If(less(zero, n), one(func() { b.Return() }), one(func() { b.Return() }))
	b.End()
}

// atomicsKernel has atomic operations of every kind, and a loop of exchanges.
func atomicsKernel(b *spirv.Builder) {
	u32, u64, f32, f64 := b.Uint(32), b.Uint(64), b.Float(32), b.Float(64)
	b.PushConstants(u64)
	count := b.Shared(u32, 4)
	b.Kernel("atomics", 64, 1, 1)
	p := b.PushConstant(0)
	own := b.Index(count, b.ConstUint(1))
	relaxed, device := spirv.MemorySemanticsRelaxed, spirv.MemorySemanticsAcquireRelease|spirv.MemorySemanticsUniformMemory
	b.AtomicStore(own, spirv.ScopeWorkgroup, relaxed, b.ConstUint(0))
	b.Barrier(spirv.MemorySemanticsWorkgroupMemory | spirv.MemorySemanticsUniformMemory)
	for _, op := range []spirv.Op{spirv.OpAtomicIAdd, spirv.OpAtomicISub, spirv.OpAtomicAnd, spirv.OpAtomicOr, spirv.OpAtomicXor, spirv.OpAtomicUMin, spirv.OpAtomicSMax, spirv.OpAtomicExchange} {
		b.Atomic(op, own, spirv.ScopeWorkgroup, relaxed, b.ConstUint(3))
		b.Atomic(op, b.At(u32, p), spirv.ScopeDevice, device, b.ConstUint(3))
		b.Atomic(op, b.At(u64, p), spirv.ScopeDevice, relaxed, b.Const(u64, math.MaxUint64))
	}
	b.Atomic(spirv.OpAtomicFAddEXT, b.At(f32, p), spirv.ScopeDevice, relaxed, b.ConstFloat(32, 1.5))
	b.Atomic(spirv.OpAtomicFMinEXT, b.At(f32, p), spirv.ScopeDevice, relaxed, b.ConstFloat(32, 1.5))
	b.Atomic(spirv.OpAtomicExchange, b.At(f32, p), spirv.ScopeDevice, relaxed, b.ConstFloat(32, 1.5))
	seen := b.Atomic(spirv.OpAtomicLoad, b.At(u64, p), spirv.ScopeDevice, spirv.MemorySemanticsAcquire|spirv.MemorySemanticsUniformMemory)
	b.Loop([]ID{seen}, func(l *spirv.Loop, v []ID) []ID {
		sum := b.Binary(spirv.OpFAdd, b.Op(spirv.OpBitcast, f64, v[0]), b.ConstFloat(64, 0.1))
		old := b.CompareExchange(b.At(u64, p), spirv.ScopeDevice, device, b.Op(spirv.OpBitcast, u64, sum), v[0])
		l.BreakUnless(b.Compare(spirv.OpINotEqual, old, v[0]))
		return []ID{old}
	})
	b.CompareExchange(own, spirv.ScopeWorkgroup, relaxed, b.ConstUint(1), b.ConstUint(2))
	b.Fence(spirv.ScopeDevice, spirv.MemorySemanticsRelease|spirv.MemorySemanticsUniformMemory)
	b.AtomicStore(b.At(u32, p), spirv.ScopeDevice, spirv.MemorySemanticsRelease|spirv.MemorySemanticsUniformMemory, b.Load(own))
	b.End()
}
