package cpu

import "github.com/cutile-go/cutile/tileir"

// The shapes that many operations share.
var (
	loops    = elementwiseBy(loopElementwise)
	sameBits = shape{alias: true, takesSplat: true, role: roleNone}
	nothing  = shape{role: roleNone}
)

// loopOps are the operations that the tables of loops cover.
var loopOps = []string{
	"absf", "absi", "addf", "addi", "andi", "atan2", "ceil", "cmpf", "cmpi", "cos", "cosh", "divf", "divi", "exp", "exp2",
	"floor", "fma", "fpowf", "log", "log2", "maxf", "maxi", "minf", "mini", "mulf", "mulhii", "muli", "negf", "negi", "ori",
	"remf", "remi", "rsqrt", "shli", "shri", "sin", "sinh", "sqrt", "subf", "subi", "tan", "tanh", "xori",
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
	shapes = map[string]shape{
		"reshape": sameBits, "bitcast": sameBits, "int_to_ptr": sameBits, "ptr_to_int": sameBits, "ptr_to_ptr": sameBits,
		"make_partition_view": sameBits, "make_strided_view": sameBits, "make_gather_scatter_view": sameBits,
		"assume": {generate: generateAssume, alias: true, takesSplat: true, role: roleNone},

		"make_token": nothing, "join_tokens": nothing, "memory_fence_alias_tko": nothing, "gdc_wait_tko": nothing,
		"gdc_launch_dependents_tko": nothing,

		"select": elementwiseBy(loopSelect), "offset": elementwiseBy(loopOffset),
		"ftoi": elementwiseBy(loopFToI), "itof": elementwiseBy(loopIToF), "ftof": elementwiseBy(loopFToF),
		"exti": elementwiseBy(loopExtI), "trunci": elementwiseBy(loopTruncI), "fpowi": elementwiseBy(loopFPowI),

		"broadcast": {generate: generateBroadcast, takesSplat: true, role: roleSpread},
		"permute":   {generate: generatePermute}, "cat": {generate: generateCat}, "extract": {generate: generateExtract},
		"insert": {generate: generateInsert}, "iota": {generate: generateIota, role: roleCount}, "pack": {generate: generatePack},
		"unpack": {generate: generatePack}, "constant": {generate: generateConstant, role: roleNone},

		"get_tile_block_id":     {generate: generateIndices(func(f *frame) *[3]uint32 { return &f.block }), role: roleBefore},
		"get_num_tile_blocks":   {generate: generateIndices(func(f *frame) *[3]uint32 { return &f.grid }), role: roleBefore},
		"get_tensor_shape":      {generate: generateGetTensorShape, role: roleBefore},
		"get_index_space_shape": {generate: generateGetIndexSpaceShape, role: roleBefore},
		"make_tensor_view":      {generate: generateMakeTensorView, role: roleBefore},
		"get_global":            {generate: generateGetGlobal, role: roleBefore},
		"alloca":                {generate: generateAlloca},

		"load_view_tko":  {generate: generateLoadView, role: roleLoad},
		"store_view_tko": {generate: generateStoreView, role: roleStore},
		"load_ptr_tko":   {generate: generateLoadPtr}, "store_ptr_tko": {generate: generateStorePtr},

		"atomic_rmw_tko": {generate: generateAtomicRMW}, "atomic_cas_tko": {generate: generateAtomicCAS},
		"atomic_red_view_tko": {generate: generateAtomicRedView}, "print_tko": {generate: generatePrint},
		"assert": {generate: generateAssert},

		"mmaf": {generate: generateMmaF}, "mmai": {generate: generateMmaI}, "mmaf_scaled": {generate: generateMmaFScaled},
		"reduce": {generate: generateReduce, body: combiner}, "scan": {generate: generateScan, body: combiner},

		"if":    {generate: generateIf, body: branches},
		"for":   {generate: generateFor, body: counted, takesSplat: true},
		"loop":  {generate: generateLoop, body: endless, takesSplat: true},
		"yield": {generate: generateYield, takesSplat: true}, "continue": {generate: generateContinue, takesSplat: true},
		"break": {generate: generateBreak, takesSplat: true}, "return": {generate: generateReturn},
	}
	for _, op := range loopOps {
		shapes[op] = loops
	}
}

// supported reports the first operation of a block that this engine lacks.
func (c *compiler) supported(b *tileir.Block) error {
	for op := range b.All() {
		if _, ok := shapes[op.Info.Mnemonic]; !ok {
			return unsupported(op, nil, "it has not been built in")
		}
	}
	return nil
}
