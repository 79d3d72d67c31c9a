// Package eval is the partial evaluator of the SIMT level: it runs checked Go on values of which some are known now
// (static) and some when the program runs (dynamic), and what it cannot compute it writes down as instructions.
//
// # Three packages
//
// This package sees the syntax: it resolves names, walks statements and expressions, and inlines calls. What a statement computes
// is a value of package emit, whose Emitter writes the instructions and keeps variables and regions. A call of a function of
// package cute whose declaration has a directive in place of a body goes to package words, which sees no syntax either.
//
// # Host and kernels
//
// A host function and the kernels that it launches are evaluated in one go. A call of a function with the result
// cute.Kernel is bound to its arguments; Launch evaluates it as a function of its own, whose parameters are the dynamic
// leaves of the arguments, in order.
//
// # A kernel, worked
//
// The file loop.go of the emitted constructs (testdata/emit) adds up a vector whose length the caller gives:
//
//	func loop(x Tensor[float32]) (_ Kernel) {
//		sum := float32(0)
//		for i := range x.Size() {
//			sum += x.At(i)
//		}
//		x.Set(sum, 0)
//		return
//	}
//
// The host function calls the kernel and launches it. The emitter writes the kernel as a function of its own
// (internal/simtc/emit/launch.go) and makes a parameter of each dynamic leaf of the arguments (internal/simtc/emit/pass.go): of a
// tensor with the layout (?):(1) these are the address and the length. The stride is static, and no parameter.
//
//	ld.param.b64 %rd0, [arg0];
//	ld.param.b32 %r0, [arg1];
//
// The file loop.go of this package takes the range statement apart, and the emitter writes a loop, whose body is a region. In the
// first attempt sum is the static number zero in its cell, and the assignment changes it: internal/simtc/emit/cell.go asks for a
// register, and internal/simtc/emit/region.go takes everything back and begins anew with that register in front of the loop. The first move below is the counter, the second one sum.
//
//	mov.b32 %r1, 0;
//	mov.b32 %r2, 0;
//	$L0:
//	setp.lt.s32 %p0, %r1, %r0;
//	@!%p0 bra $L2;
//
// x.At(i) is an address and a load (internal/simtc/emit/tensor.go). The layout algebra in internal/layout multiplies i by the stride; as that is 1, no
// instruction comes of it (internal/simtc/emit/ints.go). A variable that may still change is copied where it is read, so that what was read
// stays; internal/simt/opt removes the copies that nobody needs.
//
//	mov.b32 %r3, %r1;
//	mov.b32 %r4, %r2;
//	mad.wide.s32 %rd1, %r3, 4, %rd0;
//	ld.global.b32 %r5, [%rd1];
//	add.rn.f32 %r6, %r4, %r5;
//	mov.b32 %r2, %r6;
//
// The name of the addition stands in a table of internal/simtc/emit/arith.go. Behind the loop the coordinate 0 is static, and so is its offset.
//
//	$L1:
//	add.s32 %r1, %r1, 1;
//	bra $L0;
//	$L2:
//	mov.b32 %r7, %r2;
//	st.global.b32 [%rd0], %r7;
//	ret;
//
// TestWorked holds this comment against the files.
package eval
