package flow

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// rule does an operation, or reports that it does not take it. In that case it has written nothing.
type rule func(b *builder, op *tileir.Op) bool

// rules are those of operations that are not elementwise.
var rules map[int]rule

func init() { // the rules refer to the table through the regions of operations
	nothing := func(*builder, *tileir.Op) bool { return true }
	rules = map[int]rule{
		tileir.OpConstant: func(b *builder, op *tileir.Op) bool { return b.Constant(op) }, tileir.OpMakeToken: nothing, tileir.OpJoinTokens: nothing, tileir.OpMemoryFenceAliasTko: nothing,
		tileir.OpGdcWaitTko: nothing, tileir.OpGdcLaunchDependentsTko: nothing,

		tileir.OpPermute: func(b *builder, op *tileir.Op) bool { return b.Renames(op) && b.alias(op) },
		tileir.OpReshape: (*builder).alias, tileir.OpAssume: (*builder).alias, tileir.OpBroadcast: (*builder).broadcast,
		tileir.OpMakePartitionView: (*builder).alias, tileir.OpMakeStridedView: (*builder).alias, tileir.OpMakeGatherScatterView: (*builder).alias,
		tileir.OpBitcast: (*builder).sameBits, tileir.OpIntToPtr: (*builder).sameBits, tileir.OpPtrToInt: (*builder).sameBits,
		tileir.OpPtrToPtr: (*builder).sameBits, tileir.OpPack: (*builder).pack, tileir.OpUnpack: (*builder).pack,

		tileir.OpGetTileBlockId: (*builder).blockID, tileir.OpGetNumTileBlocks: (*builder).numBlocks,
		tileir.OpMakeTensorView: (*builder).makeView, tileir.OpGetTensorShape: (*builder).tensorShape,
		tileir.OpGetIndexSpaceShape: (*builder).indexSpace,
		tileir.OpLoadViewTko:        (*builder).loadOne, tileir.OpStoreViewTko: (*builder).storeOne,
		tileir.OpAtomicRMWTko: (*builder).atomic, tileir.OpAtomicCASTko: (*builder).atomic,
		tileir.OpLoadPtrTko: (*builder).loadPointers, tileir.OpStorePtrTko: (*builder).storePointers,

		tileir.OpFor: (*builder).counted, tileir.OpLoop: (*builder).endless, tileir.OpIf: (*builder).branch,
		tileir.OpContinue: (*builder).goOn, tileir.OpBreak: (*builder).breakLoop, tileir.OpYield: (*builder).yield,
		tileir.OpReturn: (*builder).done,
	}
}

// numbers does elementwise operations on uniform values.
func numbers(b *builder, op *tileir.Op) bool {
	if len(op.Results) != 1 || !b.uniform(op.Results[0]) || !lane.Elementwise(op.Info.Opcode) || !lane.Supports(op) {
		return false
	}
	args := make([]vec.Reg, len(op.Operands))
	for i, v := range op.Operands {
		if !b.uniform(v) {
			return false
		}
		args[i] = b.reg(v)
	}
	x, ok := lane.Emit(b.Builder, op, args)
	if ok {
		b.let(op.Results[0], x)
	}
	return ok
}

// alias gives a value another name. One in the arena has the same place.
func (b *builder) alias(op *tileir.Op) bool {
	if x := b.values[op.Operands[0]]; x != nil {
		b.values[op.Results[0]] = x
	}
	return true
}

// sameBits is an alias whose form in registers may be another one.
func (b *builder) sameBits(op *tileir.Op) bool {
	from, to := op.Operands[0], op.Results[0]
	if b.uniform(from) && b.uniform(to) {
		x, _ := lane.Form(lane.TileOf(from))
		if y, _ := lane.Form(lane.TileOf(to)); x == y {
			return b.alias(op)
		}
		if numbers(b, op) {
			return true
		}
	}
	if x := b.held(from); x != 0 && b.short(to) {
		if y, ok := lane.Emit(b.Builder, op, []vec.Reg{x}); ok {
			b.let(to, y)
			return true
		}
	}
	b.spill([]*tileir.Op{op})
	return true
}

// broadcast gives a uniform value another name.
func (b *builder) broadcast(op *tileir.Op) bool {
	from, to := op.Operands[0], op.Results[0]
	if !b.uniform(from) {
		return false
	}
	switch {
	case b.short(to):
		b.let(to, b.reg(from))
	case !b.uniform(to):
		return false
	case b.values[from] != nil:
		b.values[to] = b.values[from]
	default:
		b.let(to, b.reg(from))
	}
	return true
}

func (b *builder) blockID(op *tileir.Op) bool {
	for i, x := range b.block {
		b.letInt(op.Results[i], x)
	}
	return true
}

func (b *builder) numBlocks(op *tileir.Op) bool {
	for i, v := range op.Results {
		b.letInt(v, b.Arg(Grid+i))
	}
	return true
}

// hoist does once what depends on parameters alone: single numbers and views.
func (b *builder) hoist() {
	known := map[*tileir.Value]bool{}
	for _, v := range b.Params {
		known[v] = true
	}
	for _, op := range b.Body.Ops {
		if !b.canHoist(op, known) {
			continue
		}
		b.note(op)
		if !b.rule(op) {
			continue
		}
		b.hoisted[op] = true
		for _, v := range op.Results {
			known[v] = true
		}
	}
}

// hoistable lists the operations without effects whose rules need nothing but their operands.
var hoistable = map[int]bool{
	tileir.OpConstant: true, tileir.OpReshape: true, tileir.OpAssume: true, tileir.OpMakePartitionView: true, tileir.OpMakeStridedView: true,
	tileir.OpMakeTensorView: true, tileir.OpGetTensorShape: true, tileir.OpGetNumTileBlocks: true,
}

func (b *builder) canHoist(op *tileir.Op, known map[*tileir.Value]bool) bool {
	if !hoistable[op.Info.Opcode] && !(lane.Elementwise(op.Info.Opcode) && lane.Supports(op)) {
		return false
	}
	for _, v := range op.Operands {
		if !known[v] && lane.ConstantBits(v) == nil {
			return false
		}
	}
	for _, v := range op.Results {
		if lane.TileOf(v) != nil && !b.uniform(v) {
			return false
		}
	}
	return true
}
