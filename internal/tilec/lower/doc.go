// Package lower turns a checked kernel into Tile IR. It walks the syntax, inlines every call, and
// emits the operations that the language's declarations name. Apart from structured control flow it
// knows no operation by name: operators, conversions, views, tokens and reductions are Go functions
// of the language. A call is resolved in this order: an operation, an intrinsic, a body in Go.
//
// # Three packages
//
// This package sees the syntax: it resolves names, walks statements and expressions, and inlines
// calls. The values that statements compute belong to package emit, whose Emitter writes the
// operations and keeps variables and blocks. A call of a function whose declaration has a directive
// goes to package words, which sees no syntax either. Both need functions of the language that have
// bodies in Go, as operators have. They call them by the interface emit.Language, which the lowerer
// implements.
//
// # Loops
//
// A loop over a list is unrolled, as the elements are values of the compiler. A loop over numbers
// becomes a loop of Tile IR: a counted one if its number of turns is known before it starts and
// nothing leaves it early, and else a general one. If something in its body must be known when the
// kernel is compiled, such as the index of a slice, the loop is unrolled instead. The lowering
// finds that out by trying.
//
// # Exits
//
// A return, break or continue may leave several statements at once, but Tile IR can leave only the
// innermost loop. exits.go finds these exits before a body is lowered, and flow.go lowers them. If
// at most one path goes on behind a branch, the statements that follow are lowered into that path.
// Otherwise the exit sets a cell, which is tested before them. A kernel that leaves nothing early
// has no such cell.
//
// # Mistakes
//
// A wrong statement does not end the lowering: the variables that it sets are poisoned, and what
// uses them says nothing. Functions of the language count as part of the statement that calls them,
// since users cannot change them.
//
// # A kernel, worked
//
// The file loop.go of the emitted constructs (internal/tilec/compile/testdata/emit) adds up the
// tiles of a vector:
//
//	func Loop(x In[F32T1[D8]], z Out[F32T1[D8]]) {
//		var sum F32T1[D8]
//		for i := range x.Tiles(0) {
//			sum += x.Load(i)
//		}
//		z.Store(sum)
//	}
//
// The lowering begins with the parameters. param.go makes an address, an extent and a stride of
// each tensor, as the function for In and Out in tile/views.go asks, and inlines that function. The
// function assumes what is true of every extent and makes the views, whose types
// internal/tilec/words/view.go completes.
//
//	%0 = make_token : token
//	%assume = assume bounded<0, ?>, %arg1 : tile<i32>
//	%assume_0 = assume bounded<0, ?>, %arg2 : tile<i32>
//	%tview = make_tensor_view %arg0, shape = [%assume], strides = [%assume_0] …
//	%pview = make_partition_view %tview …
//
// x.Tiles is a method in Go. call.go inlines it down to the operation that tile/op/view.go
// declares. The declaration says once, so internal/tilec/words/op.go puts the operation here,
// before everything else. The conversion to int, which has 64 bits, stays in its place.
//
//	%1 = get_index_space_shape %pview …
//	%2 = exti %1 signed : tile<i32> -> tile<i64>
//
// unroll.go would unroll a loop with a known number of turns if its body needed the index when the
// kernel is compiled. Here the number is not known, so loop.go makes it a loop of Tile IR. In the
// first pass over the body sum is the constant zero, and it has another value at the end. The
// second pass carries it, and nothing else differs. internal/tilec/emit/constant.go makes the zeros
// a tile. internal/tilec/emit/operator.go finds the function of the language for + of floats, addF
// in tile/operators.go, which is again inlined down to an operation. The load waits for the token
// %0 only, as the kernel has not stored to x.
//
//	%for = for %loopIdx in (%cst_0_i64 to %2, step %cst_1_i64) : tile<i64> iter_values(%iterArg0 = %cst_0_f32) -> (tile<8xf32>) {
//	%tile, %result_token = load_view_tko weak %pview[%loopIdx] token = %0 …
//	%5 = addf %iterArg0, %tile  : tile<8xf32>
//	continue %5 : tile<8xf32>
//	}
//
// After the loop the cell of sum holds the result of the loop. z.Store is inlined down to the
// number of the block and a store.
//
//	%3 = exti %blockId_x signed : tile<i32> -> tile<i64>
//	%4 = store_view_tko weak %for, %pview_4[%3] token = %0 …
//	return
//
// The passes then count the loop in 32 bits, since no extent of 32 bits has more tiles. TestWorked
// of package compile compares this comment with the files.
package lower
