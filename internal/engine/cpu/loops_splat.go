package cpu

import "github.com/cutile-go/cutile/tileir"

// splatLoops are the loops of an operation whose first or second operand is one element for all.
type splatLoops struct{ first, second kernel }

// withSecond and withFirst give loops the form of a kernel whose second or first operand is one element.
func withSecond[T any](loop func(d, a []T, s T)) kernel {
	return func(d, a, b, _ ptr, n int) { loop(slice[T](d, n), slice[T](a, n), *(*T)(b)) }
}

func withFirst[T any](loop func(d, b []T, s T)) kernel {
	return func(d, a, b, _ ptr, n int) { loop(slice[T](d, n), slice[T](b, n), *(*T)(a)) }
}

// The loops by element size and key.
var (
	splatFloats32 = splatFloats[float32]()
	splatFloats64 = splatFloats[float64]()
	splatIntegers = map[int]map[key]splatLoops{
		4: splatsOf[uint32](tileir.OpAddI, tileir.OpSubI, tileir.OpMulI), 8: splatsOf[uint64](tileir.OpAddI, tileir.OpSubI, tileir.OpMulI),
	}
)

func splatsOf[T number](plus, minus, times int) map[key]splatLoops {
	return map[key]splatLoops{
		{op: plus}:  {withFirst(addSplat[T]), withSecond(addSplat[T])},
		{op: minus}: {withFirst(subFrom[T]), withSecond(subSplat[T])},
		{op: times}: {withFirst(mulSplat[T]), withSecond(mulSplat[T])},
	}
}

func splatFloats[T float]() map[key]splatLoops {
	m := splatsOf[T](tileir.OpAddF, tileir.OpSubF, tileir.OpMulF)
	m[key{op: tileir.OpDivF}] = splatLoops{withFirst(divInto[T]), withSecond(divSplat[T])}
	return m
}

func addSplat[T number](d, a []T, s T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] + s
	}
}

func subSplat[T number](d, a []T, s T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] - s
	}
}

func subFrom[T number](d, a []T, s T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = s - a[i]
	}
}

func mulSplat[T number](d, a []T, s T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] * s
	}
}

func divSplat[T float](d, a []T, s T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] / s
	}
}

func divInto[T float](d, a []T, s T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = s / a[i]
	}
}
