// A multiplication on tensor cores: fragments are registers in the order of the instruction.
package emit

import . "github.com/cutile-go/cutile/cute"

func matrixProduct(a, b Tensor[Float16], c Tensor[float32]) (_ Kernel) {
	mma := MakeTiledMma(MmaSync[Float16, Float16, float32](16, 8, 16), MakeLayout(S(1, 1, 1)))
	me := mma.Slice(ThreadIdx().X)
	fromA, fromB, to := PartitionA(me, a), PartitionB(me, b), PartitionC(me, c)
	rA, rB := MakeFragmentA(mma, fromA), MakeFragmentB(mma, fromB)
	Copy(fromA, rA)
	Copy(fromB, rB)
	acc := MakeFragmentC(mma, to)
	Clear(acc)
	Gemm(mma, acc, rA, rB, acc)
	Copy(acc, to)
	return
}

func MatrixProduct(a, b Tensor[Float16], c Tensor[float32]) { matrixProduct(a, b, c).Launch(warp()) }
