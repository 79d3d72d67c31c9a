package dtype_test

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
)

// Each narrower float holds less of 1/3. Conversions round once, to the nearest number.
func Example() {
	third := 1.0 / 3
	fmt.Println(float32(third), "float32")
	fmt.Println(dtype.TensorFloat32FromFloat64(third).Float32(), "TensorFloat32")
	fmt.Println(dtype.Float16FromFloat64(third).Float32(), "Float16")
	fmt.Println(dtype.BFloat16FromFloat64(third).Float32(), "BFloat16")
	fmt.Println(dtype.Float8E4M3FNFromFloat64(third).Float32(), "Float8E4M3FN")
	fmt.Println(dtype.Float8E5M2FromFloat64(third).Float32(), "Float8E5M2")
	fmt.Println(dtype.Float4E2M1FNFromFloat64(third).Float32(), "Float4E2M1FN")
	// Output:
	// 0.33333334 float32
	// 0.33325195 TensorFloat32
	// 0.33325195 Float16
	// 0.33398438 BFloat16
	// 0.34375 Float8E4M3FN
	// 0.3125 Float8E5M2
	// 0.5 Float4E2M1FN
}

// Between 2048 and 4096 every second integer is a Float16. One between two goes to the one whose last bit is 0.
func ExampleFloat16FromFloat32() {
	for _, f := range []float32{2049, 2050, 2051, 65519, 65520} {
		fmt.Println(f, dtype.Float16FromFloat32(f).Float32())
	}
	// Output:
	// 2049 2048
	// 2050 2050
	// 2051 2052
	// 65519 65504
	// 65520 +Inf
}

// What is too large becomes the greatest number where the format has 8 bits or fewer, else an infinity.
func ExampleFloat8E4M3FNFromFloat32() {
	fmt.Println(dtype.Float8E4M3FNFromFloat32(1e6).Float32())
	fmt.Println(dtype.Float16FromFloat32(1e6).Float32())
	// Output:
	// 448
	// +Inf
}

// A text is the shortest that no other number of the type has.
func ExampleFloat8E4M3FN_String() {
	x := dtype.Float8E4M3FNFromFloat32(0.34)
	fmt.Println(x, x.Float32())
	// Output: 0.34 0.34375
}

// A slice is converted faster than number by number.
func ExampleFloat16sFromFloat32s() {
	halves := make([]dtype.Float16, 3)
	dtype.Float16sFromFloat32s(halves, []float32{1, 0.1, -2})
	fmt.Println(halves)
	// Output: [1 0.1 -2]
}

// Numbers of 4 bits travel two a byte, the first in the low half.
func ExamplePackHalves() {
	var xs []dtype.Float4E2M1FN
	for _, f := range []float32{0.5, 1, 6} {
		xs = append(xs, dtype.Float4E2M1FNFromFloat32(f))
	}
	packed := dtype.PackHalves(xs)
	fmt.Printf("% x\n", packed)
	fmt.Println(dtype.UnpackHalves[dtype.Float4E2M1FN](packed, 3))
	// Output:
	// 21 07
	// [0.5 1 6]
}

// Of gives the type of elements of a Go type.
func ExampleOf() {
	t := dtype.Of[dtype.BFloat16]()
	fmt.Println(t, t.Size(), t.IsFloat())
	// Output: bfloat16 2 true
}

// A literal of Float16 would hold bits: Floats rounds numbers, and Float32s gives them back.
func ExampleFloats() {
	halves := dtype.Floats[dtype.Float16]([]float32{1, 2.5, 1.0 / 3})
	fmt.Println(halves, dtype.Float32s(halves))
	// Output: [1 2.5 0.3333] [1 2.5 0.33325195]
}
