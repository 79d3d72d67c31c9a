package spirv_test

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/spirv"
)

// A kernel that doubles numbers in device memory: the address and the number of them are push constants.
func Example() {
	b := spirv.New(spirv.Options{})
	f32, u64 := b.Float(32), b.Uint(64)
	b.PushConstants(u64, b.Uint(32))
	b.Kernel("double", 64, 1, 1)
	i := b.BuiltIn(spirv.BuiltInLocalInvocationIndex)
	b.If(b.Compare(spirv.OpULessThan, i, b.PushConstant(1)), func() []spirv.ID {
		at := b.Address(b.PushConstant(0), i, 4)
		x := b.LoadAt(f32, at, 4)
		b.StoreAt(at, b.Binary(spirv.OpFAdd, x, x), 4)
		return nil
	}, nil)
	b.End()
	module := b.Finish()
	fmt.Println(spirv.Verify(module))
	fmt.Print(module)
	// Output:
	// <nil>
	// ; SPIR-V
	// ; Version: 1.5
	// ; Generator: Khronos; 0
	// ; Bound: 36
	// ; Schema: 0
	//                OpCapability Shader
	//                OpCapability PhysicalStorageBufferAddresses
	//                OpCapability Int64
	//                OpMemoryModel PhysicalStorageBuffer64 GLSL450
	//                OpEntryPoint GLCompute %8 "double" %5 %11
	//                OpExecutionMode %8 LocalSize 64 1 1
	//                OpName %8 "double"
	//                OpDecorate %4 Block
	//                OpMemberDecorate %4 0 Offset 0
	//                OpMemberDecorate %4 1 Offset 8
	//                OpDecorate %11 BuiltIn LocalInvocationIndex
	//           %1 = OpTypeFloat 32
	//           %2 = OpTypeInt 64 0
	//           %3 = OpTypeInt 32 0
	//           %4 = OpTypeStruct %2 %3
	//           %6 = OpTypePointer PushConstant %4
	//           %5 = OpVariable %6 PushConstant
	//           %7 = OpTypeVoid
	//           %9 = OpTypeFunction %7
	//          %12 = OpTypePointer Input %3
	//          %11 = OpVariable %12 Input
	//          %14 = OpTypePointer PushConstant %3
	//          %15 = OpConstant %3 1
	//          %18 = OpTypeBool
	//          %23 = OpTypePointer PushConstant %2
	//          %24 = OpConstant %3 0
	//          %28 = OpConstant %2 4
	//          %31 = OpTypePointer PhysicalStorageBuffer %1
	//           %8 = OpFunction %7 None %9
	//          %10 = OpLabel
	//          %13 = OpLoad %3 %11
	//          %16 = OpAccessChain %14 %5 %15
	//          %17 = OpLoad %3 %16
	//          %19 = OpULessThan %18 %13 %17
	//                OpSelectionMerge %22 None
	//                OpBranchConditional %19 %20 %22
	//          %20 = OpLabel
	//          %25 = OpAccessChain %23 %5 %24
	//          %26 = OpLoad %2 %25
	//          %27 = OpUConvert %2 %13
	//          %29 = OpIMul %2 %27 %28
	//          %30 = OpIAdd %2 %26 %29
	//          %32 = OpConvertUToPtr %31 %30
	//          %33 = OpLoad %1 %32 Aligned 4
	//          %34 = OpFAdd %1 %33 %33
	//          %35 = OpConvertUToPtr %31 %30
	//                OpStore %35 %34 Aligned 4
	//                OpBranch %22
	//          %22 = OpLabel
	//                OpReturn
	//                OpFunctionEnd
}
