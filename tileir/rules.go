package tileir

// rule is a check that the table of operations cannot express. It runs only when the operation's operands, results,
// attributes and traits are sound, so it may rely on the types that the table asks for.
type rule func(*checker, *Op)

// rules has the checks of each operation, by number.
var rules = [len(byOpcode)][]rule{
	// arithmetic
	OpAddF: {checkRounding, checkFlush}, OpSubF: {checkRounding, checkFlush}, OpMulF: {checkRounding, checkFlush},
	OpDivF: {checkRounding, checkFlush}, OpFma: {checkRounding, checkFlush}, OpSqrt: {checkRounding, checkFlush},
	OpExp: {checkRounding}, OpTanH: {checkRounding}, OpExp2: {checkFlush}, OpRsqrt: {checkFlush},
	OpMaxF: {checkFlush}, OpMinF: {checkFlush},
	OpDivI: {checkRounding, checkDivI}, OpNegI: {checkNegI},
	OpMmaF: {checkMatmul, checkMmaF}, OpMmaI: {checkMatmul}, OpMmaFScaled: {checkMatmul, checkScales},

	// shapes, constants and values
	OpBroadcast: {checkBroadcast}, OpCat: {checkCat}, OpConstant: {checkConstant}, OpExtract: {checkExtract},
	OpInsert: {checkInsert}, OpIota: {checkIota}, OpPermute: {checkPermute}, OpReshape: {checkReshape},
	OpSelect: {checkSelect}, OpPack: {checkPack}, OpUnpack: {checkPack}, OpGetGlobal: {checkGetGlobal},
	OpAssume: {checkAssume}, OpPrintTko: {checkPrint},

	// conversions
	OpBitcast: {checkBitcast}, OpExtI: {checkExtI}, OpTruncI: {checkTruncI}, OpFToF: {checkFToF}, OpFToI: {checkRounding},
	OpIToF: {checkIToF},

	// memory
	OpLoadPtrTko: {checkScope, checkLoadPtr}, OpStorePtrTko: {checkScope, checkStorePtr},
	OpLoadViewTko: {checkScope, checkViewAccess}, OpStoreViewTko: {checkScope, checkViewAccess},
	OpAtomicCASTko: {checkCAS}, OpAtomicRMWTko: {checkRMW}, OpAtomicRedViewTko: {checkRedView},
	OpAlloca: {checkAlloca}, OpJoinTokens: {checkJoin},

	// views
	OpMakeTensorView: {checkMakeTensor}, OpMakePartitionView: {checkMakeView}, OpMakeStridedView: {checkMakeView},
	OpMakeGatherScatterView: {checkMakeView}, OpGetIndexSpaceShape: {checkIndexSpace}, OpGetTensorShape: {checkTensorShape},

	// control flow
	OpFor: {checkFor}, OpLoop: {checkLoop}, OpIf: {checkIf}, OpReduce: {checkReduce}, OpScan: {checkReduce},
	OpBreak: {checkBreak}, OpContinue: {checkContinue}, OpReturn: {checkReturn}, OpYield: {checkYield},
}

// tileOf gives the type of the named operand, which the table says is a tile.
func tileOf(o *Op, operand string) *TileType { return o.Operand(operand).Type.(*TileType) }

// resultTile gives the type of the first result, which the table says is a tile.
func resultTile(o *Op) *TileType { return o.Results[0].Type.(*TileType) }

// scalar is the type of one element of a tile.
func scalar(t *TileType) *TileType {
	return &TileType{Elem: t.Elem, Pointer: t.Pointer, PtrAttr: t.PtrAttr}
}
