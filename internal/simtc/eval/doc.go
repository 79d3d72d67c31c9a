// Package eval is the partial evaluator of the SIMT level. It runs checked Go on values of which
// some are known now (static) and others only when the program runs (dynamic), and writes
// instructions for what it cannot compute itself.
//
// # Three packages
//
// This package sees the syntax: it resolves names, walks statements and expressions, and inlines
// calls. The values that statements compute belong to package emit, whose Emitter writes the
// instructions and keeps variables and regions. A call of a function of package cute whose
// declaration has a directive in place of a body goes to package words, which sees no syntax
// either.
//
// # Host functions and kernels
//
// A host function and the kernels that it launches are evaluated in one go. A call of a function
// with the result cute.Kernel only binds the function to its arguments. Launch then evaluates it as
// a function of its own, whose parameters are the dynamic leaves of the arguments, in order.
//
// # What must be static
//
// A function value, a pointer, a slice and the type in an interface are always static, so that
// every call can be inlined and every variable can be a register. Only numbers can be dynamic. An
// index of an array or a slice must be static, since the elements are variables; a tensor has
// memory and takes dynamic indices.
//
// # Attempts
//
// Whether a variable must be a register, a loop needs labels or a call needs a jump behind it is
// known only when its body has been evaluated. So evaluation first assumes that none of this is
// needed, which is the usual case. If the assumption turns out to be wrong, everything that the
// attempt wrote or changed is taken back, and another attempt begins. Mistakes of an attempt that
// is taken back do not count.
//
// # Mistakes
//
// A wrong statement does not end the evaluation: the variables that it sets are poisoned, and what
// uses them says nothing. So one run reports every mistake that is independent of the others.
//
// # A kernel, worked
//
// The file loop.go of the emitted constructs (testdata/emit) adds up a vector whose length the
// caller gives:
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
// The host function calls the kernel and launches it. The emitter writes the kernel as a function
// of its own (internal/simtc/emit/launch.go) and makes a parameter of each dynamic leaf of the
// arguments (internal/simtc/emit/pass.go). A tensor with the layout (?):(1) has two of them, the
// address and the length. The stride is static and needs no parameter.
//
//	ld.param.b64 %rd0, [arg0];
//	ld.param.b32 %r0, [arg1];
//
// The file loop.go of this package takes the range statement apart, and the emitter writes a loop,
// whose body is a region. In the first attempt sum is the static number zero in its cell, and the
// assignment changes it. internal/simtc/emit/cell.go asks for a register, and
// internal/simtc/emit/region.go takes everything back and begins anew with that register in front
// of the loop. The first move below sets the counter, and the second one sets sum.
//
//	mov.b32 %r1, 0;
//	mov.b32 %r2, 0;
//	$L0:
//	setp.lt.s32 %p0, %r1, %r0;
//	@!%p0 bra $L2;
//
// The expression x.At(i) becomes an address and a load (internal/simtc/emit/tensor.go). The layout
// algebra in internal/layout multiplies i by the stride. As the stride is 1, that takes no
// instruction (internal/simtc/emit/ints.go). Reading a variable that may still change copies its
// register, so that the value that was read stays the same; internal/simt/opt removes the copies
// that are not needed.
//
//	mov.b32 %r3, %r1;
//	mov.b32 %r4, %r2;
//	mad.wide.s32 %rd1, %r3, 4, %rd0;
//	ld.global.b32 %r5, [%rd1];
//	add.rn.f32 %r6, %r4, %r5;
//	mov.b32 %r2, %r6;
//
// A table in internal/simtc/emit/arith.go has the name of the addition. Behind the loop the
// coordinate 0 is static, and so is its offset.
//
//	$L1:
//	add.s32 %r1, %r1, 1;
//	bra $L0;
//	$L2:
//	mov.b32 %r7, %r2;
//	st.global.b32 [%rd0], %r7;
//	ret;
//
// TestWorked compares this comment with the files.
package eval
