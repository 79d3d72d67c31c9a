package compile_test

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

type (
	e4  = tile.F8E4M3T1[tile.D16]
	e8  = tile.F8E8M0T1[tile.D16]
	h16 = tile.F16T1[tile.D16]
	b16 = tile.BF16T1[tile.D16]
	u16 = tile.U32T1[tile.D16]
	s16 = tile.I16T1[tile.D16]
)

// wrongNumbers are the kernels below: element types, constants, atomics, orders and hints that do not fit.
var wrongNumbers = []any{
	halfTooLarge, smallNaN, scaleNegative, intFromFloat, negativeElement, infInt, maxInt16, nanIndex,
	eightMultiplies, eightNegates, eightMaximum, scaleAdds, eightSums, eightAtomic, tf32Divides, dotOfDoubles, dotScaledHalf, dotScaledElem, dotFastWide,
	dotOfScales, halfAccumulates, flushHalf, roundApprox, roundRuntime, expRounds, scratchNegative, scratchBelowZero, powInteger, negPromise,
	atomicEight, atomicFloatAnd, atomicElem, swapShape, accumulateExchange, accumulateHalfMax, orderOfLoad, orderOfStore, weakWithScope, latencyHuge, hintOtherArch, hintRuntime, hintRuntimeArch, inBoundsCount, padAgain, padRuntime, assumeOdd, assumeBounds, assumeFloatRuns, bitcastWidth,
	philoxSigned, randomHalf, printText, printTooFew, printBadVerb, printRuntimeFormat, assertRuntimeText, tableOfNothing, divisionOfConstants,
	gatherTooLarge, gatherAtTooLow, fullTooLarge, foldTooLarge, scanTooLow, reduceRuntime, iotaNarrow, modZero, argMaxOfEight, sortTooLong, elementsRuntime, requireNumber}

func halfTooLarge(x tile.In[h16], z tile.Out[h16]) {
	z.Store(x.Load(0) + 70000) // want 20 "the constant 70000 does not fit in float16"
}

func smallNaN(z tile.Out[e4]) {
	z.Store(e4(math.Inf(1))) // want 10 "the constant +Inf does not fit in float8_e4m3fn"
}

func scaleNegative(z tile.Out[e8]) {
	z.Store(-2) // want 2 "the constant -2 does not fit in float8_e8m0fnu"
}

func intFromFloat(x tile.In[i16], z tile.Out[i16]) {
	half := 0.5
	z.Store(x.Load(0) + i16(math.NaN()) + i16(half)) // want 22 "the constant NaN is not an integer"
}

func negativeElement(x tile.In[u16], z tile.Out[u16]) {
	n := 3
	n -= 4
	z.Store(x.Load(0) + u16(tile.Elements[u16](n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))) // want 26 "the constant -1 does not fit in uint32"
}

func infInt(z tile.Out[i16]) {
	z.Store(i16(math.Inf(-1))) // want 10 "the constant -Inf is not an integer"
}

func maxInt16(z tile.Out[s16]) {
	z.Store(math.MaxInt32) // want 2 "the constant 2147483647 does not fit in int16"
}

func nanIndex(x tile.In[v16], z tile.Out[v16]) {
	z.Store(x.Load(int(math.NaN()))) // want 17 "the constant NaN is not an integer"
}

func eightMultiplies(x tile.In[e4], z tile.Out[e4]) {
	z.Store(x.Load(0) * 2) // want 20 "mulf does not take f8e4m3fn: convert first"
}

func eightNegates(x tile.In[e4], z tile.Out[e4]) {
	z.Store(-x.Load(0)) // want 10 "negf does not take f8e4m3fn: convert first"
}

func eightMaximum(x tile.In[e4], z tile.Out[e4]) {
	z.Store(max(x.Load(0), x.Load(1))) // want 10 "maxf does not take f8e4m3fn: convert first"
}

func scaleAdds(x tile.In[e8], z tile.Out[e8]) {
	v := x.Load(0)
	v += v // want 4 "addf does not take f8e8m0fnu: convert first"
	z.Store(v)
}

func eightSums(x tile.In[e4], z tile.Out[tile.F8E4M3T1[tile.D1]]) {
	z.Store(x.Load(0).Sum0()) // want 10 "addf does not take f8e4m3fn: convert first"
}

func eightAtomic(p tile.Ptr[int8], x tile.In[tile.I8T1[tile.D16]]) {
	tile.AtomicExchange(p, tile.Iota[tile.D16](), x.Load(0), true) // want 2 "AtomicExchange needs elements of 32 or 64 bits"
}

func tf32Divides(x tile.In[tile.TF32T1[tile.D16]], z tile.Out[tile.TF32T1[tile.D16]]) {
	z.Store(x.Load(0) / x.Load(1)) // want 20 "divf does not take tf32: convert first"
}

func dotOfDoubles(a tile.In[tile.F64T2[tile.D16, tile.D16]], c tile.Out[tile.F32T2[tile.D16, tile.D16]]) {
	c.Store(tile.Dot(a.Load(0, 0), a.Load(0, 0), tile.F32T2[tile.D16, tile.D16](0))) // want 10 "products of float64 are accumulated in float64, not in float32"
}

func dotScaledHalf(a tile.In[tile.F16T2[tile.D16, tile.D32]], s tile.In[tile.F8E8M0T2[tile.D16, tile.D1]], c tile.Out[tile.F32T2[tile.D16, tile.D16]]) {
	c.Store(tile.DotScaled(a.Load(0, 0), s.Load(0, 0), a.Load(0, 0).T(), s.Load(0, 0).T(), 0)) // want 10 "mmaf_scaled does not take f16: convert first"
}

func dotScaledElem(a tile.In[tile.F8E4M3T2[tile.D16, tile.D32]], s tile.In[tile.F16T2[tile.D16, tile.D1]], c tile.Out[tile.F32T2[tile.D16, tile.D16]]) {
	c.Store(tile.DotScaled(a.Load(0, 0), s.Load(0, 0), a.Load(0, 0).T(), s.Load(0, 0).T(), 0)) // want 10 "factors of float16 do not scale float8_e4m3fn: float8_e8m0fnu does, and float8_e4m3fn and float8_e5m3fnu scale float4_e2m1fn"
}

func dotFastWide(a tile.In[tile.F32T2[tile.D16, tile.D16]], c tile.Out[tile.F16T2[tile.D16, tile.D16]]) {
	c.Store(tile.DotFast(a.Load(0, 0), a.Load(0, 0), tile.F16T2[tile.D16, tile.D16](0))) // want 10 "products of float32 are accumulated in float32, not in float16"
}

func dotOfScales(a tile.In[tile.F8E8M0T2[tile.D16, tile.D16]], c tile.Out[tile.F32T2[tile.D16, tile.D16]]) {
	c.Store(tile.Dot(a.Load(0, 0), a.Load(0, 0), tile.F32T2[tile.D16, tile.D16](0))) // want 10 "mmaf does not take f8e8m0fnu: convert first"
}

func halfAccumulates(a tile.In[tile.TF32T2[tile.D16, tile.D16]], c tile.Out[tile.TF32T2[tile.D16, tile.D16]]) {
	c.Store(tile.Dot(a.Load(0, 0), a.Load(0, 0), tile.TF32T2[tile.D16, tile.D16](0))) // want 10 "products of tf32 are accumulated in float32, not in tf32"
}

func flushHalf(x tile.In[h16], z tile.Out[h16]) {
	z.Store(tile.AddRound(x.Load(0), 1, tile.RoundEven, true)) // want 10 "addition: attribute flush_to_zero needs elements of f32, but found f16"
}

func roundApprox(x tile.In[v16], z tile.Out[v16]) {
	z.Store(tile.MulRound(x.Load(0), 2, tile.RoundApprox, false)) // want 10 "multiplication: attribute rounding_mode: expected nearest_even, zero, negative_inf or positive_inf, but found approx"
}

func roundRuntime(x tile.In[h16], n int, z tile.Out[h16]) {
	z.Store(tile.AddRound(x.Load(0), 2, tile.Rounding(n), false)) // want 10 "argument r of AddF must be known when the kernel is compiled"
}

func expRounds(x tile.In[h16], z tile.Out[h16]) {
	z.Store(tile.ExpRound(x.Load(0), tile.RoundApprox)) // want 10 "Exp: attribute rounding_mode: approx needs elements of f32, but found f16"
}

func scratchNegative(n int, z tile.Out[v16]) {
	p := tile.Scratch[float32](n) // want 7 "the number of elements must be known when the kernel is compiled"
	z.Store(tile.Gather[v16](p, tile.Iota[tile.D16](), true, 0))
}

func scratchBelowZero(z tile.Out[v16]) {
	p := tile.Scratch[float32](-4) // want 7 "the number of elements is -4"
	z.Store(tile.Gather[v16](p, tile.Iota[tile.D16](), true, 0))
}

func powInteger(x tile.In[v16], n tile.In[tile.I64T1[tile.D16]], z tile.Out[v16]) {
	z.Store(tile.PowInt(x.Load(0), n.Load(0))) // want 10 "fpowi does not take i64: convert first"
}

func negPromise(x tile.In[i16], z tile.Out[i16]) {
	z.Store(tile.NegPromise(x.Load(0), tile.NoUnsignedWrap)) // want 10 "negation: attribute overflow: no_unsigned_wrap means nothing for a negation"
}

func atomicEight(p tile.Ptr[int16], x tile.In[s16]) {
	tile.AtomicMax(p, tile.Iota[tile.D16](), x.Load(0), true) // want 2 "AtomicMax needs integers of 32 or 64 bits"
}

func atomicFloatAnd(p tile.Ptr[float32], x tile.In[v16]) {
	tile.Atomic(p, tile.Iota[tile.D16](), x.Load(0), true, tile.RMWAnd, tile.Relaxed, tile.DeviceScope) // want 2 "Atomic needs integers of 32 or 64 bits"
}

func atomicElem(p tile.Ptr[float32], x tile.In[i16]) {
	tile.AtomicAdd(p, tile.Iota[tile.D16](), x.Load(0), true) // want 2 "AtomicAdd takes tiles of the pointer's element: convert the tile"
}

func swapShape(p tile.Ptr[int32], x tile.In[i16]) {
	tile.CompareAndSwap(p, tile.Iota[tile.D32](), x.Load(0), 1, true) // want 2 "offsets of shape [32] do not fit elements of shape [16]"
}

func accumulateExchange(x tile.In[i16], z tile.InOut[i16]) {
	z.Accumulate(tile.RMWExchange, x.Load(0), 0) // want 2 "Accumulate cannot exchange"
}

func accumulateHalfMax(x tile.In[h16], z tile.InOut[h16]) {
	z.Accumulate(tile.RMWMax, x.Load(0), 0) // want 2 "Accumulate needs integers of 32 or 64 bits"
}

func orderOfLoad(x tile.InOut[v16], z tile.Out[v16]) {
	z.Store(x.LoadOrdered(tile.Release, tile.DeviceScope, 0)) // want 10 "Load: attribute memory_ordering_semantics: expected weak, relaxed or acquire, but found release"
}

func orderOfStore(x tile.InOut[v16]) {
	x.StoreOrdered(tile.Acquire, tile.DeviceScope, 1, 0) // want 2 "Store: attribute memory_ordering_semantics: expected weak, relaxed or release, but found acquire"
}

func weakWithScope(x tile.InOut[v16], z tile.Out[v16]) {
	z.Store(x.LoadOrdered(tile.Weak, tile.DeviceScope, 0)) // want 10 "Load: attribute memory_scope: a weak access has no scope"
}

func latencyHuge(x tile.In[v16], z tile.Out[v16]) {
	z.Store(x.LoadSoon(99, 0)) // want 10 "Load: attribute optimization_hints: hint latency: expected 1 to 10, but found 99"
}

func hintOtherArch(x tile.In[v16], z tile.Out[v16]) {
	z.Store(x.LoadHint(tile.Hints{By: []tile.ArchHint{{Arch: "hopper", Latency: 3}}}, 0)) // want 10 "Load: attribute optimization_hints: hints for "hopper": expected default or sm_ and a number"
}

func hintRuntime(x tile.In[v16], n int, z tile.Out[v16]) {
	z.Store(x.LoadHint(tile.Hints{Latency: n}, 0)) // want 10 "argument h.Latency of LoadView must be known when the kernel is compiled"
}

func hintRuntimeArch(x tile.In[v16], n int, z tile.Out[v16]) {
	z.Store(x.LoadHint(tile.Hints{By: []tile.ArchHint{{Arch: "sm_90", Latency: 2}, {Arch: "sm_100", Latency: n}}}, 0)) // want 10 "Latency in h.By of LoadView must be a constant"
}

func inBoundsCount(x tile.In[v16], z tile.Out[v16]) {
	z.Store(x.LoadHint(tile.Hints{InBounds: []bool{true, false}}, 0)) // want 10 "Load: attribute inbounds: expected 1 truth values, but found 2"
}

func padAgain(x tile.In[i16], z tile.Out[i16]) {
	z.Store(x.LoadPad(math.NaN(), 0)) // want 10 "a load of int32 pads with 0: use Where for another value"
}

func padRuntime(x tile.In[v16], s float64, z tile.Out[v16]) {
	z.Store(x.LoadPad(s, 0)) // want 10 "the padding must be known when the kernel is compiled"
}

func assumeOdd(x tile.In[v16], n int, z tile.Out[v16]) {
	z.Store(x.Load(tile.AssumeDivBy(n, 3))) // want 17 "assume: attribute predicate: divisor 3 is not a power of two up to 2^62"
}

func assumeBounds(x tile.In[v16], n int, z tile.Out[v16]) {
	z.Store(x.Load(tile.AssumeBetween(n, 5, 2))) // want 17 "assume: attribute predicate: the lower bound 5 is above the upper bound 2"
}

func assumeFloatRuns(x tile.In[i16], z tile.Out[i16]) {
	z.Store(tile.AssumeRuns(x.Load(0), 2, 2)) // want 10 "a tile of shape [16] needs one length for each axis"
}

func bitcastWidth(x tile.In[v16], z tile.Out[h16]) {
	z.Store(tile.Bitcast[h16](x.Load(0))) // want 10 "Bitcast needs elements of equal width"
}

func philoxSigned(z tile.Out[i16]) {
	a, _, _, _ := tile.Philox(i16(1), 2, 3, 4, 5, 6) // want 16 "Philox takes tiles of uint32"
	z.Store(a)
}

func randomHalf(z tile.Out[h16]) {
	z.Store(tile.Uniform[h16](1, tile.IotaOf[u16]())) // want 10 "random numbers are float32 or float64: convert afterwards"
}

func printText(n int) {
	tile.Print("%s\n", "text") // want 2 "Print cannot take a text: write it in the format"
}

func printTooFew(n int) {
	tile.Print("nothing\n", n) // want 2 "the format has 0 verbs for 1 arguments"
}

func printBadVerb(n int) {
	tile.Print("%q\n", n) // want 2 "Print has no verb %q: use v, d, x, o, t, e, f or g"
}

func printRuntimeFormat(n int) {
	f := "%d\n"
	if n > 3 {
		f = "%v\n" // want 3 "f is a text: it cannot change inside a loop or branch; keep a number, and choose the text where it is printed"
	}
	tile.Print(f, n)
}

func assertRuntimeText(n int) {
	names := []string{"a", "b"}
	tile.Assert(n > 0, names[n]) // want 27 "the index must be known when the kernel is compiled"
}

func tableOfNothing(z tile.Out[v16]) {
	p := tile.Table[float32]() // want 7 "values of GetGlobal needs at least one element"
	z.Store(tile.Gather[v16](p, tile.Iota[tile.D16](), true, 0))
}

func divisionOfConstants(x tile.In[i16], z tile.Out[i16]) {
	zero := i16(0)
	z.Store(x.Load(0) + 4/zero) // want 23 "division by zero"
}

func gatherTooLarge(p tile.Ptr[int32], z tile.Out[i16]) {
	z.Store(tile.Gather[i16](p, tile.Iota[tile.D16](), true, 1<<31)) // want 10 "the constant 2147483648 does not fit in int32"
}

func gatherAtTooLow(x tile.In[tile.I8T1[tile.D16]], z tile.Out[tile.I8T1[tile.D16]]) {
	z.Store(tile.GatherAt[tile.I8T1[tile.D16]](x, -129, tile.Iota[tile.D16]())) // want 10 "the constant -129 does not fit in int8"
}

func fullTooLarge(z tile.Out[u16]) {
	z.Store(tile.FullTo(1<<32, tile.Shape[u16]{})) // want 10 "the constant 4294967296 does not fit in uint32"
}

func foldTooLarge(x tile.In[s16], z tile.Out[tile.I16T1[tile.D1]]) {
	z.Store(x.Load(0).Fold0(math.MaxInt64, func(a, b tile.I16) tile.I16 { return min(a, b) })) // want 10 "the constant 9223372036854775807 does not fit in int16"
}

func scanTooLow(x tile.In[s16], z tile.Out[s16]) {
	const least tile.I16 = -1<<15 - 1 // want 25 "the constant -32769 does not fit in int16"
	z.Store(tile.Scan(x.Load(0), 0, tile.Forward, least, func(a, b tile.I16) tile.I16 { return max(a, b) }))
}

func reduceRuntime(n int16, x tile.In[s16], z tile.Out[tile.I16T1[tile.D1]]) {
	z.Store(tile.I16T1[tile.D1](tile.Reduce[tile.I16](x.Load(0), 0, tile.I16(n), func(a, b tile.I16) tile.I16 { return a + b }))) // want 30 "argument identity of Reduce must be known when the kernel is compiled"
}

func iotaNarrow(z tile.Out[tile.I8T1[tile.D1024]]) {
	z.Store(tile.IotaOf[tile.I8T1[tile.D1024]]()) // want 10 "int8 cannot count to 1024"
}

func modZero(n int, z tile.Out[i16]) {
	zero := n * 0
	zero = 0
	z.Store(i16(n % zero)) // want 16 "division by zero"
}

func argMaxOfEight(x tile.In[e4], z tile.Out[tile.I32T1[tile.D1]]) {
	z.Store(x.Load(0).ArgMax0()) // want 10 "the constant -Inf does not fit in float8_e4m3fn"
}

func sortTooLong(x tile.In[tile.F32T1[tile.D65536]], z tile.Out[tile.F32T1[tile.D65536]]) {
	z.Store(tile.Sort(x.Load(0), tile.Forward)) // want 10 "Sort sorts up to 4096 elements, not 65536"
}

func elementsRuntime(n int, z tile.Out[tile.F32T1[tile.D2]]) {
	z.Store(tile.Elements[tile.F32T1[tile.D2]](1, n)) // want 10 "each element must be known when the kernel is compiled"
}

func requireNumber(z tile.Out[v16]) {
	tile.Require(tile.Extent[tile.D16]() < 8, "extents below 8, not %d", tile.Extent[tile.D16]()) // want 2 "extents below 8, not 16"
	z.Store(1)
}
