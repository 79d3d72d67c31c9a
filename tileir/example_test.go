package tileir_test

import (
	"fmt"
	"os"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// A kernel that doubles the first 8 floats of a tensor: addresses, a load, an addition, and a store that waits for the load.
func ExampleBuilder() {
	b := tileir.NewBuilder()
	b.Entry("double", []tileir.Type{tileir.PointerTile(tileir.F32)}, func(params []*tileir.Value) {
		first := b.Broadcast(b.Reshape(params[0], 1), 8)
		at := b.Offset(first, b.Iota(tileir.Tile(tileir.I32, 8)))
		x, loaded := b.LoadPtrTko(at, tileir.MemoryWeak)
		twice := b.AddF(x, x, tileir.RoundingNearestEven)
		b.StorePtrTko(at, twice, tileir.MemoryWeak, tileir.WithToken(loaded))
		b.Return()
	})
	m, err := b.Build(tileir.V13_1) // builds what Verify accepts for this version
	if err != nil {
		fmt.Println(err)
	}
	show(m)
	// Output:
	// entry @double(%arg0: tile<ptr<f32>>) {
	//   %reshape = reshape %arg0 : tile<ptr<f32>> -> tile<1xptr<f32>>
	//   %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<8xptr<f32>>
	//   %0 = iota : tile<8xi32>
	//   %1 = offset %bcast, %0 : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
	//   %result, %result_token = load_ptr_tko weak %1 : tile<8xptr<f32>> -> tile<8xf32>, token
	//   %2 = addf %result, %result  : tile<8xf32>
	//   %3 = store_ptr_tko weak %1, %2 token=%result_token : tile<8xptr<f32>>, tile<8xf32> -> token
	//   return
	// }
}

// show prints the text of a module.
func show(m *tileir.Module) { text.Print(os.Stdout, m, text.PrintOptions{}) }

// Verify names every fault with its operation.
func ExampleVerify() {
	b := tileir.NewBuilder()
	b.Entry("mixed", nil, func([]*tileir.Value) {
		x := b.Constant(tileir.FloatConstant(tileir.Tile(tileir.F32, 8), 1))
		y := b.Constant(tileir.FloatConstant(tileir.Tile(tileir.F32, 16), 1))
		b.AddF(x, y, tileir.RoundingNearestEven)
		b.Return()
	})
	b.Entry("mixed", nil, func([]*tileir.Value) { b.Return() })
	fmt.Println(tileir.Verify(b.Module, tileir.Newest))
	// Output:
	// tileir: entry mixed: the name is already taken
	// tileir: entry mixed: operation 2 (addf): operand rhs: expected the type of lhs, tile<8xf32>, but found tile<16xf32>
}

// What an operation takes is data, which the verifier, the text form and the bytecode follow.
func ExampleLookup() {
	for _, o := range tileir.Lookup("fma").Operands {
		fmt.Print(o.Name, " ")
	}
	for _, a := range tileir.Lookup("fma").Attrs {
		fmt.Print(a.Name, " ")
	}
	// Output: lhs rhs acc rounding_mode flush_to_zero
}
