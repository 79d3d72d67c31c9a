package spirv_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/spirv/grammar"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// every makes instructions of the grammar, each with several lists of operands.
type every struct {
	words []uint32
	turn  int // of the enumerants: which one to take
	many  bool
	id    uint32
}

// prelude are the instructions that others need: types 1 (int 32), 2 (float 64), a constant 3 of type 1, and a set 4.
var prelude = []uint32{
	4<<16 | uint32(spirv.OpTypeInt), 1, 32, 1, 3<<16 | uint32(spirv.OpTypeFloat), 2, 64, 4<<16 | uint32(spirv.OpConstant), 1, 3, 0xffffffff,
	6<<16 | uint32(spirv.OpExtInstImport), 4, 0x4c534c47, 0x6474732e, 0x3035342e, 0,
}

// operand adds an operand, and gives how many turns it has.
func (e *every) operand(op spirv.Op, k *grammar.Kind) int {
	switch k.Category {
	case grammar.ID:
		switch {
		case k.Name == "IdResult":
			e.id++
			e.words = append(e.words, e.id)
		case k.Name == "IdResultType":
			e.words = append(e.words, 1)
		case op == spirv.OpExtInst || op == spirv.OpExtInstWithForwardRefsKHR:
			e.words = append(e.words, 4)
		default:
			e.words = append(e.words, 3)
		}
		return 1
	case grammar.Composite:
		for _, base := range k.Bases {
			e.operand(op, base)
		}
		return 1
	case grammar.Value, grammar.Bits:
		x := k.Enumerants[e.turn%len(k.Enumerants)]
		e.words = append(e.words, x.Value)
		e.slots(op, x.Params)
		return len(k.Enumerants)
	}
	switch k.Name {
	case "LiteralString":
		e.words = append(e.words, 0x62225c61, 0x00000a63) // a\"bc and a new line
	case "LiteralFloat":
		e.words = append(e.words, 0x3fc00000)
	case "LiteralSpecConstantOpInteger":
		e.words = append(e.words, uint32(spirv.OpIAdd), 3, 3)
	case "LiteralExtInstInteger":
		e.words = append(e.words, uint32(spirv.GLSLFClamp), 3, 3, 3)
	default:
		e.words = append(e.words, 7)
	}
	return 1
}

// slots adds operands: those that may be missing, where many is set.
func (e *every) slots(op spirv.Op, slots []grammar.Slot) int {
	turns := 1
	for _, s := range slots {
		n := 1
		if s.Many != grammar.Once {
			n = 0
			if e.many && (s.Many == grammar.Maybe || op != spirv.OpExtInst && op != spirv.OpExtInstWithForwardRefsKHR) {
				n = 1 + int(s.Many) - 1
			}
		}
		for range n {
			turns = max(turns, e.operand(op, s.Kind))
		}
	}
	return turns
}

// of gives the variants of an instruction.
func (e *every) of(op *grammar.Op) (variants [][]uint32) {
	for _, e.many = range []bool{false, true} {
		turns := 1
		for e.turn = 0; e.turn < turns; e.turn++ {
			e.words = nil
			turns = max(turns, e.slots(spirv.Op(op.Code), op.Operands))
			variants = append(variants, append([]uint32{uint32(len(e.words)+1)<<16 | op.Code}, e.words...))
		}
	}
	return variants
}

// TestEveryInstruction: every instruction with every enumerant is read, and printed as spirv-dis does, if it knows it.
func TestEveryInstruction(t *testing.T) {
	testenv.Elsewhere(t)
	dis := testenv.SpirvTool(t, "spirv-dis")
	newEnough(t, dis, true)
	names := aliases()
	known, unknown := 0, 0
	for _, op := range grammar.Get().Ops {
		if op.Code == uint32(spirv.OpTypeInt) || op.Code == uint32(spirv.OpTypeFloat) || op.Code == uint32(spirv.OpExtInstImport) {
			continue // in the prelude, and numbers depend on them
		}
		e := &every{id: 100}
		variants := e.of(op)
		module := func(variants ...[]uint32) []byte {
			return spirv.Bytes(slices.Concat([]uint32{spirv.Magic, uint32(spirv.V1_6), 0, 100000, 0}, prelude, slices.Concat(variants...)))
		}
		check := func(variants ...[]uint32) bool {
			data := module(variants...)
			text, ok := run(t, dis, data, "--raw-id", "-")
			m, err := spirv.Read(data)
			if err != nil {
				t.Errorf("%s: %v", op.Name, err)
			}
			if !ok || err != nil {
				return false
			}
			known += len(variants)
			sameText(t, canonical(m.String(), names), canonical(text, names))
			return true
		}
		var split func(variants [][]uint32)
		split = func(variants [][]uint32) {
			switch n := len(variants); {
			case check(variants...):
			case n == 1:
				unknown++
			default:
				split(variants[:n/2])
				split(variants[n/2:])
			}
		}
		if check(variants[0]) {
			known--
			split(variants)
		} else {
			unknown += len(variants)
		}
	}
	t.Logf("%d instructions are printed as by spirv-dis, which does not know %d", known, unknown)
	if known < 5*unknown {
		t.Error("spirv-dis knows too few")
	}
}

// aliases gives the names of the grammar by their aliases.
func aliases() map[string]string {
	names := map[string]string{}
	g := grammar.Get()
	for _, op := range g.Ops {
		for _, a := range op.Aliases {
			names[a] = op.Name
		}
	}
	for _, k := range g.Kinds {
		for _, e := range k.Enumerants {
			for _, a := range e.Aliases {
				names[a] = e.Name
			}
		}
	}
	return names
}

// canonical replaces aliases, of which older tools prefer some.
func canonical(text string, names map[string]string) string {
	var b strings.Builder
	word := 0
	flush := func(end int) {
		if name, ok := names[text[word:end]]; ok {
			b.WriteString(name)
		} else {
			b.WriteString(text[word:end])
		}
	}
	for i, c := range text {
		if c == ' ' || c == '\n' || c == '|' {
			flush(i)
			b.WriteRune(c)
			word = i + 1
		}
	}
	flush(len(text))
	return b.String()
}
