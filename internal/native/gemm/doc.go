// Package gemm multiplies matrices with machine code that it generates.
//
// An element of the product is what fused multiplications and additions give, one after another in the order of k: it begins
// with C's element, or 0, and is rounded once for each k. This holds for every size, layout, level and number of workers, so
// that all ways to compute a product give the same bits. Elements of f16, bf16 and f8 are widened to f32, which is exact.
// Products of integers are exact and wrap around. Which NaN results from NaNs is not said. [BF16Pairs] is the exception, for
// callers that ask for it.
//
// # Tiles
//
// A [Tile] is one mma of a kernel: the product of two small matrices, in one call where it is short enough. Its code is made
// for the sizes and strides and cached.
//
// # Products
//
// A [Product] is a loop of mma over k: the product of two matrices in memory. Its caller asks for blocks of C, in any order and
// from several goroutines, each with its own [Worker]. What a block needs of A and B is packed into a [Cache] when the first
// block needs it. A product that would use an element only a few times reads it where it lies, and A also where its rows are as
// good there.
//
// Every call of machine code takes about 100 microseconds at most; a longer product makes several.
//
// Two things are left to the caller. An accumulator of f16 is computed in f32 and rounded once after each mma. And a kernel that
// pads K with zeros adds 0 to each element at the end, which turns -0 into 0; a product ends with the last element of K.
//
// # How it works
//
// A kernel (kernel.go) keeps a block of C in registers and goes through k: it loads a row of B, and multiplies it with each
// element of a column of A. It takes A and B where they lie, if their elements are those that are multiplied and B's rows are
// dense. Otherwise pack functions (pack.go) first copy them to panels, in which the rows of a block of B, or the columns of a
// block of A, follow each other; they transpose, widen and interleave on the way (loader.go). A table (kind.go) says what each
// kind needs.
//
// Both are written once, with the methods of a machine (machine.go), of which there is one for each instruction set: x86.go and
// x86pack.go for amd64, arm.go and armpack.go for arm64. Tables say which instructions take the steps and widen the elements. A
// level has a row with the shapes of blocks that fit its registers.
//
// With AMX (amx.go) a block is made of tile registers, which the code configures, uses and releases within one call. The loops
// over panels and blocks are the same; the steps of k take sixteen lanes at once, for which A has panels of another form. Tests
// interpret the listings of such kernels on machines without AMX. The matrix instructions of NEON (armsquare.go) have the sums of
// two rows and two columns in a register: kernels turn the block before the steps of k, and back behind them.
package gemm
