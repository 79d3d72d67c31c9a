package spirv

import (
	"encoding/binary"
	"fmt"

	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

// The limits of [Read].
const (
	MaxWords = 1 << 26 // of a module: 256 MB
	MaxBound = 1 << 22 // the specification's universal limit is 4,194,303
)

// ReadError is a mistake in the words of a module.
type ReadError struct {
	Word int // the place of the instruction's first word; 0 for the header
	Op   Op  // of the instruction; 0 for the header and for a code that there is not
	Msg  string
}

// Error gives the place and what is wrong.
func (e *ReadError) Error() string {
	if e.Op == 0 {
		return fmt.Sprintf("SPIR-V module: word %d: %s", e.Word, e.Msg)
	}
	return fmt.Sprintf("SPIR-V module: word %d, %s: %s", e.Word, e.Op, e.Msg)
}

// Read reads a module from a file's bytes, in either byte order. It looks only at how words form instructions and operands, for which
// every code and enumerant must be in the grammar; [Verify] looks at what they mean. What it allocates is in proportion to the file,
// whatever numbers the file has. The error is a [ReadError].
func Read(data []byte) (*Module, error) {
	if len(data)%4 != 0 {
		return nil, &ReadError{Msg: fmt.Sprintf("the file has %d bytes, expected a multiple of 4", len(data))}
	}
	if len(data) > 4*MaxWords {
		return nil, &ReadError{Msg: fmt.Sprintf("the file has %d words, expected at most %d", len(data)/4, MaxWords)}
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if len(data) >= 4 && order.Uint32(data) != Magic {
		order = binary.BigEndian
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = order.Uint32(data[4*i:])
	}
	return ReadWords(words)
}

// ReadWords is [Read] for words.
func ReadWords(words []uint32) (*Module, error) {
	if len(words) < 5 {
		return nil, &ReadError{Msg: fmt.Sprintf("the module has %d words, expected 5 words of a header", len(words))}
	}
	m := &Module{Version: Version(words[1]), Generator: words[2], Bound: words[3], Schema: words[4]}
	switch {
	case words[0] != Magic:
		return nil, &ReadError{Msg: fmt.Sprintf("the first word is %#08x, expected %#08x: this is no SPIR-V module", words[0], uint32(Magic))}
	case m.Version < 0x10000 || m.Version > V1_6 || m.Version&0xff != 0:
		return nil, &ReadError{Msg: fmt.Sprintf("version %#x is not known, expected 1.0 to %v", words[1], V1_6)}
	case m.Bound == 0 || m.Bound > MaxBound:
		return nil, &ReadError{Msg: fmt.Sprintf("the bound of IDs is %d, expected 1 to %d", m.Bound, MaxBound)}
	case m.Schema != 0:
		return nil, &ReadError{Msg: fmt.Sprintf("the schema is %d, expected 0", m.Schema)}
	}
	r := &reader{g: grammar.Get(), m: m, all: words, literals: map[ID]literal{}, sets: map[ID]*grammar.Set{}}
	for at := 5; at < len(words); {
		n := int(words[at] >> 16)
		r.in = Instr{Op: Op(words[at]), At: at}
		if n == 0 || n > len(words)-at {
			return nil, r.mistake("the instruction has %d words, expected 1 to %d", n, len(words)-at)
		}
		r.words = words[at+1 : at+n : at+n]
		if err := r.instr(); err != nil {
			return nil, err
		}
		m.Instrs = append(m.Instrs, r.in)
		at += n
	}
	return m, nil
}

// literal says how numbers of a type are written.
type literal struct {
	width uint32
	form  literalForm
}

// literalForm is the form of a number.
type literalForm byte

// The forms of numbers.
const (
	unsignedForm literalForm = iota
	signedForm
	floatForm
	bfloatForm
	e4m3Form
	e5m2Form
)

// words gives the number of words of a number.
func (l literal) words() int { return int((l.width + 31) / 32) }

// literalOf gives how numbers of a type are written, where the instruction declares a scalar type.
func literalOf(in *Instr) (l literal, ok bool) {
	switch in.Op {
	case OpTypeInt:
		l = literal{width: in.Operands[0].Word()}
		if in.Operands[1].Word() != 0 {
			l.form = signedForm
		}
	case OpTypeFloat:
		l = literal{width: in.Operands[0].Word(), form: floatForm}
		if len(in.Operands) > 1 {
			switch FPEncoding(in.Operands[1].Word()) {
			case FPEncodingBFloat16KHR:
				l.form = bfloatForm
			case FPEncodingFloat8E4M3EXT:
				l.form = e4m3Form
			case FPEncodingFloat8E5M2EXT:
				l.form = e5m2Form
			}
		}
	default:
		return l, false
	}
	return l, l.width > 0 && l.width <= 64
}
