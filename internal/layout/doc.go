// Package layout is the layout algebra of CuTe: functions from coordinates to offsets, written as nested shapes and
// strides, and the operations that split, join, invert and reorder them. Nothing here knows of kernels or devices.
//
// # Terms
//
// A [Tuple] is an integer or a list of tuples; shapes, strides and coordinates are tuples. The entries of the outermost
// list are the modes, their number is the rank, the nesting below is the depth. A [Layout] is a shape and a stride of the
// same nesting, (4,8):(1,4); it maps a coordinate to the sum of coordinate times stride, and an integer coordinate is
// taken apart first mode fastest. Its size is the product of the shape, its cosize is one more than its largest offset.
//
// A [Tiler] says what a layout is split by: a layout, which speaks about the whole domain, or a [ByMode], which has an
// entry for each mode. A stride such as 1@0 ([Basis]) is one step along mode 0: layouts with such strides map to
// coordinates instead of offsets ([Identity]). A [Swizzle] exchanges bits of an offset; swizzle, offset and layout
// together are a [Composed] layout.
//
// # Integers known at run time
//
// Each leaf is an [Int]: a number, or a symbol whose divisor is known, printed ?{div=8}. There is one algebra for both.
// A symbol may carry an [Expr], the run-time value behind it; then each operation that cannot be done now asks that
// value to compute it, so the same call either folds to numbers or emits code.
//
// # Which layout is the answer
//
// Many layouts are the same function. Operations give the form that NVIDIA's CuTe DSL 4.2.1 prints, down to the stride
// 0 of modes of size 1 and to the operations that it refuses because divisibility cannot be shown. testdata/README.md
// names the few places where this package deliberately differs.
//
// # Errors
//
// A refused operation is an [*Error]: which operation, on what, and why. Arithmetic that overflows or divides by zero is
// found when the operation that did it returns.
package layout
