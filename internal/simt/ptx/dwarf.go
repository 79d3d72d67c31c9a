package ptx

import (
	"encoding/binary"
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
)

// The numbers of DWARF 2 and, for DW_OP_stack_value, of DWARF 4.
const (
	tagArray, tagParameter, tagMember, tagPointer, tagUnit, tagStructure, tagInlined, tagSubrange, tagBase, tagSubprogram, tagVariable = 0x01, 0x05, 0x0d, 0x0f, 0x11, 0x13, 0x1d, 0x21, 0x24, 0x2e, 0x34

	atLocation, atName, atByteSize, atStmtList, atLowPC, atHighPC, atLanguage, atCompDir, atInline = 0x02, 0x03, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x1b, 0x20
	atProducer, atUpperBound, atAbstractOrigin, atAddressClass, atMember, atDeclFile, atDeclLine   = 0x25, 0x2f, 0x31, 0x33, 0x38, 0x3a, 0x3b
	atEncoding, atExternal, atFrameBase, atType, atCallColumn, atCallFile, atCallLine              = 0x3e, 0x3f, 0x40, 0x49, 0x57, 0x58, 0x59
	atLinkageName                                                                                  = 0x2007

	formAddr, formData2, formData4, formString, formBlock1, formData1, formFlag, formUdata, formRef4 = 0x01, 0x05, 0x06, 0x08, 0x0a, 0x0b, 0x0c, 0x0f, 0x13

	opConst1U, opConst8U, opPlusUconst, opShl, opShr, opShra = 0x08, 0x0e, 0x23, 0x24, 0x25, 0x26
	opRegX, opBRegX, opPiece, opFrame, opStackValue          = 0x90, 0x92, 0x93, 0x9c, 0x9f

	ateBool, ateFloat, ateSigned, ateUnsigned = 0x02, 0x04, 0x05, 0x07
	languageGo                                = 0x16
	inlined                                   = 1
	registerSpace                             = 2 // NVIDIA's class of addresses that are registers
)

// abbrevs are the forms of entries: the tag, whether there are children, and pairs of an attribute and a form.
var abbrevs = [...][]uint64{
	abUnit:      {tagUnit, 1, atProducer, formString, atLanguage, formData2, atName, formString, atStmtList, formData4, atCompDir, formString, atLowPC, formAddr},
	abBase:      {tagBase, 0, atName, formString, atEncoding, formData1, atByteSize, formData1},
	abPointer:   {tagPointer, 0, atByteSize, formData1, atType, formRef4},
	abStructure: {tagStructure, 1, atName, formString, atByteSize, formUdata},
	abMember:    {tagMember, 0, atName, formString, atType, formRef4, atMember, formBlock1},
	abArray:     {tagArray, 1, atType, formRef4},
	abSubrange:  {tagSubrange, 0, atUpperBound, formUdata},
	abAbstract:  {tagSubprogram, 0, atName, formString, atDeclFile, formUdata, atDeclLine, formUdata, atInline, formData1},
	abKernel:    {tagSubprogram, 1, atName, formString, atLinkageName, formString, atDeclFile, formUdata, atDeclLine, formUdata, atExternal, formFlag, atLowPC, formAddr, atHighPC, formAddr, atFrameBase, formBlock1},
	abInlined:   {tagInlined, 1, atAbstractOrigin, formRef4, atLowPC, formAddr, atHighPC, formAddr, atCallFile, formUdata, atCallLine, formUdata, atCallColumn, formUdata},
	abParameter: {tagParameter, 0, atName, formString, atDeclFile, formUdata, atDeclLine, formUdata, atType, formRef4, atAddressClass, formData1, atLocation, formData4},
	abVariable:  {tagVariable, 0, atName, formString, atDeclFile, formUdata, atDeclLine, formUdata, atType, formRef4, atAddressClass, formData1, atLocation, formData4},
}

const (
	abUnit = iota + 1
	abBase
	abPointer
	abStructure
	abMember
	abArray
	abSubrange
	abAbstract
	abKernel
	abInlined
	abParameter
	abVariable
)

// section is the contents of a section of DWARF: bytes, and words that the assembler finds.
type section struct {
	b     []byte
	words map[int]word // by offset

	labels map[int]string
}

// label puts a label here.
func (s *section) label(name string) {
	if s.labels == nil {
		s.labels = map[int]string{}
	}
	s.labels[len(s.b)] = name
}

// word is a symbol of some bytes.
type word struct {
	name string
	size int
}

func (s *section) u8(x ...byte)   { s.b = append(s.b, x...) }
func (s *section) u16(x uint16)   { s.b = binary.LittleEndian.AppendUint16(s.b, x) }
func (s *section) u32(x uint32)   { s.b = binary.LittleEndian.AppendUint32(s.b, x) }
func (s *section) text(x string)  { s.b = append(append(s.b, x...), 0) }
func (s *section) uleb(x uint64)  { s.b = binary.AppendUvarint(s.b, x) }
func (s *section) block(x []byte) { s.b = append(append(s.b, byte(len(x))), x...) }
func (s *section) name(name string, size int) {
	if s.words == nil {
		s.words = map[int]word{}
	}
	s.words[len(s.b)] = word{name, size}
	s.b = append(s.b, make([]byte, size)...)
}

// write appends the section as PTX has it.
func (s *section) write(w *writer, name string) {
	const most = 40 // bytes on a line
	w.printf("\t.section %s\n\t{\n", name)
	for at := 0; at < len(s.b); {
		if l := s.labels[at]; l != "" {
			w.printf("%s:\n", l)
		}
		if x, ok := s.words[at]; ok {
			w.printf("\t.b%d %s\n", 8*x.size, x.name)
			at += x.size
			continue
		}
		sep := "\t.b8 "
		for n := 0; n < most && at < len(s.b); n++ {
			if _, ok := s.words[at]; ok || n > 0 && s.labels[at] != "" {
				break
			}
			w.printf("%s%d", sep, s.b[at])
			sep = ", "
			at++
		}
		w.printf("\n")
	}
	w.printf("\t}\n")
}

// abbrevSection has the forms of entries.
func abbrevSection() *section {
	s := &section{}
	for code, a := range abbrevs {
		if a == nil {
			continue
		}
		s.uleb(uint64(code))
		s.uleb(a[0])
		s.u8(byte(a[1]))
		for _, x := range a[2:] {
			s.uleb(x)
		}
		s.u8(0, 0)
	}
	s.u8(0)
	return s
}

// types are the entries of types that are in a unit, by what they look like.
type types struct {
	info *section
	at   map[string]uint32
}

// entry gives the offset of a type's entry, and writes it where there is none.
func (t *types) entry(v *simt.VarType) uint32 {
	key := describe(v)
	if at, ok := t.at[key]; ok {
		return at
	}
	at := t.write(v)
	t.at[key] = at
	return at
}

// describe tells types apart.
func describe(v *simt.VarType) string {
	s := fmt.Sprintf("%q %d %d %d", v.Name, v.Kind, v.Bytes, v.Len)
	for _, f := range v.Fields {
		s += fmt.Sprintf(" %q(%s)", f.Name, describe(f.Type))
	}
	if v.Elem != nil {
		s += "[" + describe(v.Elem) + "]"
	}
	return s
}

var encodings = map[simt.VarKind]byte{simt.VarInt: ateSigned, simt.VarUint: ateUnsigned, simt.VarFloat: ateFloat, simt.VarBool: ateBool}

func (t *types) base(name string, encoding, bytes byte) (at uint32) {
	at = uint32(len(t.info.b))
	t.info.uleb(abBase)
	t.info.text(name)
	t.info.u8(encoding, bytes)
	return at
}

func (t *types) write(v *simt.VarType) (at uint32) {
	s := t.info
	switch v.Kind {
	case simt.VarStruct:
		fields := make([]uint32, len(v.Fields))
		for i, f := range v.Fields {
			fields[i] = t.entry(f.Type)
		}
		at = uint32(len(s.b))
		s.uleb(abStructure)
		s.text(v.Name)
		s.uleb(uint64(v.Size()))
		offset := 0
		for i, f := range v.Fields {
			s.uleb(abMember)
			s.text(f.Name)
			s.u32(fields[i])
			s.block(binary.AppendUvarint([]byte{opPlusUconst}, uint64(offset)))
			offset += f.Type.Size()
		}
		s.u8(0)
	case simt.VarArray:
		elem := t.entry(v.Elem)
		at = uint32(len(s.b))
		s.uleb(abArray)
		s.u32(elem)
		s.uleb(abSubrange)
		s.uleb(uint64(v.Len - 1))
		s.u8(0)
	case simt.VarAddress:
		elem := t.entry(v.Elem)
		at = uint32(len(s.b))
		s.uleb(abPointer)
		s.u8(byte(v.Bytes))
		s.u32(elem)
	default:
		encoding := encodings[v.Kind]
		if v.Kind == simt.VarFloat && v.Bytes == 1 { // which debuggers do not know
			encoding = ateUnsigned
		}
		at = t.base(v.Name, encoding, byte(v.Bytes))
	}
	return at
}

// register is the number of a register that NVIDIA's tools know: the bytes of its name.
func register(name string) (n uint64) {
	for _, c := range []byte(name) {
		n = n<<8 | uint64(c)
	}
	return n
}

// maxName is how many bytes of a register's name fit its number.
const maxName = 8

// location is where a variable of a type is, by its registers and numbers.
func (w *writer) location(t *simt.VarType, ops []simt.Operand) (e []byte) {
	sizes, kinds := t.Pieces(), t.Kinds()
	for i, op := range ops {
		e = append(e, w.piece(op, sizes[i], kinds[i])...)
		if len(ops) > 1 {
			e = binary.AppendUvarint(append(e, opPiece), uint64(sizes[i]))
		}
	}
	return e
}

// piece is where a number is. One of 64 bits in a register of 32 is computed.
func (w *writer) piece(op simt.Operand, size int, kind simt.VarKind) (e []byte) {
	if op.Kind == simt.Imm {
		return append(binary.LittleEndian.AppendUint64([]byte{opConst8U}, op.Bits), opStackValue)
	}
	name := w.syntax.Reg(op.Reg)
	if len(name) > maxName {
		return nil // it is nowhere
	}
	if w.f.Regs[op.Reg].Bits() == 32 && size == 8 {
		shift := byte(opShr)
		if kind == simt.VarInt {
			shift = opShra
		}
		return append(binary.AppendUvarint([]byte{opBRegX}, register(name)), 0, opConst1U, 32, opShl, opConst1U, 32, shift, opStackValue)
	}
	return binary.AppendUvarint([]byte{opRegX}, register(name))
}
