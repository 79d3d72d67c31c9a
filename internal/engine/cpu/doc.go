// Package cpu runs Tile IR on the CPU: a translator to closures over one arena a worker, in plain Go. It is the oracle
// for what operations mean, and faster engines are compared with it.
//
// # Translation
//
// Compile walks an entry twice. The planner gives every value a place in an arena; values that do not live at the same
// time share it, a value that one element stands for takes one element, and an operation that only changes the type
// takes none. The compiler then turns operations into steps, closures that know their places, and regions into lists of
// steps. What a mnemonic means is one row of the table in ops.go; elementwise operations find their loop in tables by
// mnemonic, attributes and element type. A launch takes frames that earlier launches left, and allocates nothing.
//
// Consecutive elementwise operations, broadcasts, loads and stores of tiles of one size form a run, see runs.go: each
// handles 1,024 elements, which stay in the first-level cache, before the next 1,024 are begun. Values that only the run
// uses take the room of a strip; a tile that is one piece of memory is read and written where it lies. Results are those
// of the operations one after the other, faults too; only what lies in memory after a fault may differ.
//
// # Numbers
//
// f16, bf16 and smaller floats are computed in float32 or float64 and rounded once for each operation. Every rounding
// mode is exact; approx and full divisions and roots give the nearest result, too. Functions of float32 are those of
// package vecmath, in the form of Go loops, so that they give the bits of machine code: at most 1 unit in the last
// place from the exact result. Functions of float64 stay below 0.51 units: docs/numerics.md says what holds for which
// operation and type, internal/testing/numerics compares it with NumPy. mma adds products one after the other with k,
// each time as a fused operation, rounded once to the accumulator (float32 for f16 and bf16; an f16 accumulator is rounded
// once more at the end); in mmaf_scaled a product has four factors. Conversions to integers and to floats of eight bits or fewer
// saturate, and NaN becomes zero, NaN or, in f4E2M1FN, 6. The floats without a sign take the magnitude; fnv8E5M3FNU is
// what CUDA calls ue5m3: bias 15, NaN 0xff. Flushing to zero looks at results after they are rounded. Shifts by the
// width or more give zero or the sign. Dividing single integers by zero is a fault, as in Go; in a tile, whose elements
// outside the tensor may be zero, such a quotient is zero and the remainder the dividend. The rest that C leaves
// undefined wraps. What a load finds outside a tensor without a padding value, what a mask holds back without one, and
// the memory of alloca is zero. The payload and sign of a NaN that an operation makes mean nothing.
//
// f4E2M1FN is a byte for each element of a tile and half a byte in memory, in the order of pack. NVIDIA's assembler wants
// to know that two elements share a byte; here any address will do, also one of an upper half.
//
// The order of a reduction is fixed, see reduce.go; results depend neither on the number of workers nor on the order of
// blocks, except through the kernel's own atomics. Token order holds trivially: a block does its operations in program
// order, unless Options.Reorder asks for another one that tokens allow. Accesses that are not weak use atomic
// operations where elements have four or eight bytes.
//
// # Memory
//
// Addresses are simulated, see memory.go: an address remembers its allocation, so that an access before, behind or
// after the life of an allocation is a fault with the operation's position. A launch that is watched, see watch.go, has
// addresses of its own for each tensor, finds races between blocks, and runs them in changing orders. A launch can be stopped, see Stream.Stop.
// Buffers are ordinary Go memory; the machine must be little-endian, as all that this module supports are.
package cpu
