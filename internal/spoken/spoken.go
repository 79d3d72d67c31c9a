// Package spoken names operations in messages by what the user wrote: of a Go kernel by the operation of package tile, of
// anybody's Tile IR by the mnemonic.
package spoken

import (
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// inGo has the operations of Tile IR that a kernel names by what makes them there. Others have no word of their own in Go, such as the making
// of views, or have the same one.
var inGo = map[int]string{
	tileir.OpLoadViewTko: "Load", tileir.OpStoreViewTko: "Store", tileir.OpLoadPtrTko: "Gather", tileir.OpStorePtrTko: "Scatter",
	tileir.OpAtomicRMWTko: "atomic operation", tileir.OpAtomicCASTko: "CompareAndSwap", tileir.OpAtomicRedViewTko: "atomic operation",
	tileir.OpAlloca: "Scratch", tileir.OpGetGlobal: "Global", tileir.OpMemoryFenceAliasTko: "FenceAlias", tileir.OpPrintTko: "Print",
	tileir.OpAssert: "Assert", tileir.OpGdcWaitTko: "WaitGrid", tileir.OpGdcLaunchDependentsTko: "LaunchDependents",
	tileir.OpGetTileBlockId: "BlockID", tileir.OpGetNumTileBlocks: "NumBlocks", tileir.OpGetIndexSpaceShape: "Tiles",
	tileir.OpGetTensorShape: "Len", tileir.OpMakeStridedView: "WindowsOf", tileir.OpMakeGatherScatterView: "SparseOf",

	tileir.OpMmaF: "Dot", tileir.OpMmaI: "Dot", tileir.OpMmaFScaled: "DotScaled", tileir.OpReduce: "Reduce", tileir.OpScan: "Scan",
	tileir.OpReshape: "Reshape", tileir.OpPermute: "Permute", tileir.OpBroadcast: "Broadcast", tileir.OpCat: "Cat",
	tileir.OpExtract: "Extract", tileir.OpInsert: "Insert", tileir.OpPack: "Pack", tileir.OpUnpack: "Unpack", tileir.OpIota: "Iota",
	tileir.OpSelect: "Where", tileir.OpBitcast: "Bitcast", tileir.OpPtrToPtr: "Reinterpret", tileir.OpPtrToInt: "Address",
	tileir.OpExtI: "conversion", tileir.OpTruncI: "conversion", tileir.OpFToF: "conversion", tileir.OpFToI: "conversion",
	tileir.OpIToF: "conversion",

	tileir.OpAddF: "addition", tileir.OpAddI: "addition", tileir.OpSubF: "subtraction", tileir.OpSubI: "subtraction",
	tileir.OpNegF: "negation", tileir.OpNegI: "negation", tileir.OpMulF: "multiplication", tileir.OpMulI: "multiplication",
	tileir.OpDivF: "division", tileir.OpDivI: "division", tileir.OpRemI: "remainder", tileir.OpAndI: "bitwise and",
	tileir.OpOrI: "bitwise or", tileir.OpXOrI: "exclusive or", tileir.OpShLI: "shift", tileir.OpShRI: "shift", tileir.OpCmpF: "comparison",
	tileir.OpCmpI: "comparison", tileir.OpMaxF: "max", tileir.OpMaxI: "max", tileir.OpMinF: "min", tileir.OpMinI: "min",
	tileir.OpRemF: "Mod", tileir.OpMulhiI: "MulHi", tileir.OpFma: "FMA", tileir.OpFPowF: "Pow", tileir.OpFPowI: "PowInt",
	tileir.OpAbsF: "Abs", tileir.OpAbsI: "Abs", tileir.OpCeil: "Ceil", tileir.OpFloor: "Floor", tileir.OpSqrt: "Sqrt",
	tileir.OpRsqrt: "Rsqrt", tileir.OpExp: "Exp", tileir.OpExp2: "Exp2", tileir.OpLog: "Log", tileir.OpLog2: "Log2", tileir.OpSin: "Sin",
	tileir.OpCos: "Cos", tileir.OpTan: "Tan", tileir.OpSinH: "Sinh", tileir.OpCosH: "Cosh", tileir.OpTanH: "Tanh", tileir.OpAtan2: "Atan2",
}

// Op is the name of an operation for those who read a message about it.
func Op(o *tileir.Op) string {
	if name, ok := inGo[o.Info.Opcode]; ok && strings.HasSuffix(o.Loc.File, ".go") {
		return name
	}
	return o.Info.Mnemonic
}
