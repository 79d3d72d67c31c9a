package cpu

import (
	"maps"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// The shapes that many operations share.
var (
	loops    = elementwiseBy(loopElementwise)
	sameBits = shape{alias: true, takesSplat: true, role: roleNone}
	nothing  = shape{role: roleNone}
)

// loopOps lists the operations that the tables of loops have.
func loopOps() []int {
	ops := map[int]bool{}
	for _, table := range []kernels{integers[8], floats64} {
		for k := range table {
			ops[k.op] = true
		}
	}
	return slices.Sorted(maps.Keys(ops))
}

// elementwiseBy is the shape of an operation that a function gives as a loop.
func elementwiseBy(loop looper) shape {
	generate := func(c *compiler, op *tileir.Op) (step, error) {
		e, err := loop(c, op)
		if err != nil {
			return nil, err
		}
		return e.step(), nil
	}
	return shape{generate: generate, loop: loop, elementwise: true, takesSplat: true, role: roleLoop}
}

func init() {
	shapes = map[int]shape{
		tileir.OpReshape: sameBits, tileir.OpBitcast: sameBits, tileir.OpIntToPtr: sameBits, tileir.OpPtrToInt: sameBits, tileir.OpPtrToPtr: sameBits,
		tileir.OpMakePartitionView: sameBits, tileir.OpMakeStridedView: sameBits, tileir.OpMakeGatherScatterView: sameBits,
		tileir.OpAssume: {generate: generateAssume, alias: true, takesSplat: true, role: roleNone},

		tileir.OpMakeToken: nothing, tileir.OpJoinTokens: nothing, tileir.OpMemoryFenceAliasTko: nothing, tileir.OpGdcWaitTko: nothing,
		tileir.OpGdcLaunchDependentsTko: nothing,

		tileir.OpSelect: elementwiseBy(loopSelect), tileir.OpOffset: elementwiseBy(loopOffset),
		tileir.OpFToI: elementwiseBy(loopFToI), tileir.OpIToF: elementwiseBy(loopIToF), tileir.OpFToF: elementwiseBy(loopFToF),
		tileir.OpExtI: elementwiseBy(loopExtI), tileir.OpTruncI: elementwiseBy(loopTruncI), tileir.OpFPowI: elementwiseBy(loopFPowI),

		tileir.OpBroadcast: {generate: generateBroadcast, takesSplat: true, role: roleSpread},
		tileir.OpPermute:   {generate: generatePermute}, tileir.OpCat: {generate: generateCat}, tileir.OpExtract: {generate: generateExtract},
		tileir.OpInsert: {generate: generateInsert}, tileir.OpIota: {generate: generateIota, role: roleCount}, tileir.OpPack: {generate: generatePack},
		tileir.OpUnpack: {generate: generatePack}, tileir.OpConstant: {generate: generateConstant, role: roleNone},

		tileir.OpGetTileBlockId:     {generate: generateIndices(func(f *frame) *[3]uint32 { return &f.block }), role: roleBefore},
		tileir.OpGetNumTileBlocks:   {generate: generateIndices(func(f *frame) *[3]uint32 { return &f.grid }), role: roleBefore},
		tileir.OpGetTensorShape:     {generate: generateGetTensorShape, role: roleBefore},
		tileir.OpGetIndexSpaceShape: {generate: generateGetIndexSpaceShape, role: roleBefore},
		tileir.OpMakeTensorView:     {generate: generateMakeTensorView, role: roleBefore},
		tileir.OpGetGlobal:          {generate: generateGetGlobal, role: roleBefore},
		tileir.OpAlloca:             {generate: generateAlloca},

		tileir.OpLoadViewTko:  {generate: generateLoadView, role: roleLoad},
		tileir.OpStoreViewTko: {generate: generateStoreView, role: roleStore},
		tileir.OpLoadPtrTko:   {generate: generateLoadPtr}, tileir.OpStorePtrTko: {generate: generateStorePtr},

		tileir.OpAtomicRMWTko: {generate: generateAtomicRMW}, tileir.OpAtomicCASTko: {generate: generateAtomicCAS},
		tileir.OpAtomicRedViewTko: {generate: generateAtomicRedView}, tileir.OpPrintTko: {generate: generatePrint},
		tileir.OpAssert: {generate: generateAssert},

		tileir.OpMmaF: {generate: generateMmaF}, tileir.OpMmaI: {generate: generateMmaI}, tileir.OpMmaFScaled: {generate: generateMmaFScaled},
		tileir.OpReduce: {generate: generateReduce, body: combiner}, tileir.OpScan: {generate: generateScan, body: combiner},

		tileir.OpIf:    {generate: generateIf, body: branches},
		tileir.OpFor:   {generate: generateFor, body: counted, takesSplat: true},
		tileir.OpLoop:  {generate: generateLoop, body: endless, takesSplat: true},
		tileir.OpYield: {generate: generateYield, takesSplat: true}, tileir.OpContinue: {generate: generateContinue, takesSplat: true},
		tileir.OpBreak: {generate: generateBreak, takesSplat: true}, tileir.OpReturn: {generate: generateReturn},
	}
	for _, op := range loopOps() {
		shapes[op] = loops
	}
}

// supported reports the first operation of a block that this engine lacks.
func (c *compiler) supported(b *tileir.Block) error {
	for op := range b.All() {
		if _, ok := shapes[op.Info.Opcode]; !ok {
			return unsupported(op, nil, "it is not implemented")
		}
	}
	return nil
}
