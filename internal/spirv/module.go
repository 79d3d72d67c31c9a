package spirv

import (
	"encoding/binary"
	"slices"

	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

//go:generate go run ./gen constants_gen.go

// Op is the code of an instruction.
type Op uint16

// String gives the name, "OpIAdd".
func (o Op) String() string {
	if op, ok := grammar.Get().Op(uint32(o)); ok {
		return op.Name
	}
	return "OpUnknown"
}

// Magic is the first word of a module.
const Magic = 0x07230203

// Version is a version of SPIR-V, 0x10500 for 1.5.
type Version = grammar.Version

// The versions that Vulkan 1.1, 1.2 and 1.3 take at most.
const (
	V1_3 Version = 0x10300
	V1_5 Version = 0x10500
	V1_6 Version = 0x10600
)

// ID is the number of a result: a type, a constant, a value, a block, a function.
type ID uint32

// Module is a module as its instructions in their order.
type Module struct {
	Version   Version
	Generator uint32 // who made it: a number of Khronos's list in the upper half, the maker's version in the lower
	Bound     uint32 // every ID is below it
	Schema    uint32 // 0
	Instrs    []Instr
}

// Instr is an instruction. Type and Result are 0 where it has none.
type Instr struct {
	Op       Op
	Type     ID
	Result   ID
	Operands []Operand // what follows type and result
	At       int       // the place of its first word in the module that [Read] read
}

// Operand is an operand: its kind with its words, one but for strings and numbers of more than 32 bits. The parameters of an
// enumerant follow it as operands of their own.
type Operand struct {
	Kind  *grammar.Kind
	Words []uint32
	Type  ID // of a number whose size a type decides
	Set   ID // of the number of an extended instruction
}

// Word gives the operand's first word.
func (o Operand) Word() uint32 { return o.Words[0] }

// ID gives the operand as the number of a result.
func (o Operand) ID() ID { return ID(o.Words[0]) }

// IsID reports whether the operand is the number of a result.
func (o Operand) IsID() bool { return o.Kind.Category == grammar.ID }

// Bits gives a number of at most 64 bits.
func (o Operand) Bits() uint64 {
	bits := uint64(o.Words[0])
	if len(o.Words) > 1 {
		bits |= uint64(o.Words[1]) << 32
	}
	return bits
}

// Text gives a string.
func (o Operand) Text() string {
	b := make([]byte, 0, 4*len(o.Words))
	for _, w := range o.Words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	if i := slices.Index(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// textWords gives the words of a string: its bytes, a zero, and more zeros up to whole words.
func textWords(s string) []uint32 {
	b := append([]byte(s), 0)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// size gives the number of words of the instruction.
func (in *Instr) size() int {
	n := 1
	if in.Type != 0 {
		n++
	}
	if in.Result != 0 {
		n++
	}
	for i := range in.Operands {
		n += len(in.Operands[i].Words)
	}
	return n
}

// words appends the words of the instruction.
func (in *Instr) words(w []uint32) []uint32 {
	w = append(w, uint32(in.size())<<16|uint32(in.Op))
	if in.Type != 0 {
		w = append(w, uint32(in.Type))
	}
	if in.Result != 0 {
		w = append(w, uint32(in.Result))
	}
	for _, o := range in.Operands {
		w = append(w, o.Words...)
	}
	return w
}

// Words gives the module as words.
func (m *Module) Words() []uint32 {
	w := []uint32{Magic, uint32(m.Version), m.Generator, m.Bound, m.Schema}
	for i := range m.Instrs {
		w = m.Instrs[i].words(w)
	}
	return w
}

// Bytes gives the module as a file holds it, in little-endian order.
func (m *Module) Bytes() []byte { return Bytes(m.Words()) }

// Bytes gives words in little-endian order.
func Bytes(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
