// Package dwarftest reads what code tells debuggers of variables, with the DWARF reader of Go's library: machine code, and PTX, whose places are
// numbers of instructions then.
package dwarftest

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// Variable is what DWARF has of a variable.
type Variable struct {
	Function string // the innermost one, inlined or not
	Name     string
	Line     int64  // of the declaration
	Kind     string // of the entry
	Type     string
	Number   string // "int", "uint", "float" or "bool" for a number of Bytes; "" for others
	Bytes    int64
	Places   []Place
	Lines    []dwarf.LineEntry // of all code; nil in PTX
}

// Place is where a variable is while code from an address to before another one runs.
type Place struct {
	From, To uint64
	Text     string // registers of PTX, or numbers after "=", with their sizes if there are several
	Pieces   []Piece
}

// Piece is a register of PTX, or a number.
type Piece struct {
	Reg    string // "" for a number
	Number uint64
	Size   int // in bytes; 0 for the whole variable

	Lost bool // the assembler does not know where the register is
}

// sections are those of DWARF.
type sections struct {
	abbrev, info, line, str, loc []byte
	registers                    []byte // those that the assembler knows; nil in PTX
}

// read reads all variables, in the order of their entries.
func (s *sections) read(t testing.TB) (found []*Variable) {
	t.Helper()
	d, err := dwarf.New(s.abbrev, nil, nil, s.info, s.line, nil, nil, s.str)
	if err != nil {
		t.Fatal(err)
	}
	names := map[dwarf.Offset]string{}
	var functions []string
	var lines []dwarf.LineEntry
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return found
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		switch e.Tag {
		case 0:
			if len(functions) > 0 {
				functions = functions[:len(functions)-1]
			}
			continue
		case dwarf.TagCompileUnit:
			if s.line != nil {
				lines = readLines(t, d, e)
			}
		case dwarf.TagSubprogram:
			names[e.Offset] = name
		case dwarf.TagInlinedSubroutine:
			name = names[e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)]
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			typ, err := d.Type(e.Val(dwarf.AttrType).(dwarf.Offset))
			if err != nil {
				t.Fatal(err)
			}
			v := &Variable{Function: functions[len(functions)-1], Name: name, Line: e.Val(dwarf.AttrDeclLine).(int64), Kind: e.Tag.String(),
				Type: typeText(typ), Number: numberOf(typ), Bytes: typ.Size(), Lines: lines}
			v.Places = s.places(t, s.loc[e.Val(dwarf.AttrLocation).(int64):])
			found = append(found, v)
		}
		if e.Children {
			functions = append(functions, name)
		}
	}
}

// readLines are the addresses of lines.
func readLines(t testing.TB, d *dwarf.Data, unit *dwarf.Entry) (list []dwarf.LineEntry) {
	t.Helper()
	r, err := d.LineReader(unit)
	if err != nil {
		t.Fatal(err)
	}
	for {
		var e dwarf.LineEntry
		if err := r.Next(&e); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
}

// typeText is a type as a short text.
func typeText(t dwarf.Type) string {
	switch t := t.(type) {
	case *dwarf.StructType:
		var fields []string
		for _, f := range t.Field {
			fields = append(fields, fmt.Sprintf("%s %s@%d", f.Name, typeText(f.Type), f.ByteOffset))
		}
		return strings.ReplaceAll(fmt.Sprintf("struct %s {%s}", t.StructName, strings.Join(fields, "; ")), "  ", " ")
	case *dwarf.ArrayType:
		return fmt.Sprintf("[%d]%s", t.Count, typeText(t.Type))
	case *dwarf.PtrType:
		return "*" + typeText(t.Type)
	}
	return t.String()
}

// numberOf says what kind of number a type is.
func numberOf(t dwarf.Type) string {
	switch t.(type) {
	case *dwarf.IntType:
		return "int"
	case *dwarf.UintType:
		return "uint"
	case *dwarf.FloatType:
		return "float"
	case *dwarf.BoolType:
		return "bool"
	}
	return ""
}

// Printed is a number of a type with some bits, as printf's %d or %g prints it.
func Printed(number string, bytes int64, bits uint64) string {
	unused := 64 - 8*bytes
	switch {
	case number == "float" && bytes == 4:
		return printedFloat(float64(math.Float32frombits(uint32(bits))))
	case number == "float" && bytes == 8:
		return printedFloat(math.Float64frombits(bits))
	case number == "int":
		return fmt.Sprint(int64(bits<<unused) >> unused)
	}
	return fmt.Sprint(bits << unused >> unused)
}

func printedFloat(x float64) string {
	switch {
	case x != x:
		return "nan"
	case math.IsInf(x, 0):
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(x), "+"))
	}
	return fmt.Sprintf("%.6g", x)
}

// places reads a list of places.
func (s *sections) places(t testing.TB, list []byte) (out []Place) {
	t.Helper()
	for {
		from, to := binary.LittleEndian.Uint64(list), binary.LittleEndian.Uint64(list[8:])
		if from == 0 && to == 0 {
			return out
		}
		n := int(binary.LittleEndian.Uint16(list[16:]))
		expr := list[18 : 18+n]
		list = list[18+n:]
		p := Place{From: from, To: to}
		for len(expr) > 0 {
			expr = s.operation(t, expr, &p)
		}
		p.Text = strings.TrimPrefix(p.Text, " ")
		out = append(out, p)
	}
}

// operation reads one operation of a place.
func (s *sections) operation(t testing.TB, expr []byte, p *Place) (rest []byte) {
	t.Helper()
	op := expr[0]
	expr = expr[1:]
	switch op {
	case 0x90, 0x92: // DW_OP_regx, and DW_OP_bregx with what makes 64 bits of a register
		reg, n := binary.Uvarint(expr)
		if expr = expr[n:]; op == 0x92 {
			expr = expr[1+2+1+2+1:]
		}
		var name []byte
		for ; reg > 0; reg >>= 8 {
			name = append([]byte{byte(reg)}, name...)
		}
		lost := s.registers != nil && !strings.Contains(string(s.registers), string(name)+"\x00")
		p.Text += " " + string(name)
		p.Pieces = append(p.Pieces, Piece{Reg: string(name), Lost: lost})
	case 0x0e: // DW_OP_const8u
		p.Pieces = append(p.Pieces, Piece{Number: binary.LittleEndian.Uint64(expr)})
		p.Text += fmt.Sprintf(" =%d", binary.LittleEndian.Uint64(expr))
		expr = expr[8:]
	case 0x9f: // DW_OP_stack_value
	case 0x93: // DW_OP_piece
		size, n := binary.Uvarint(expr)
		expr = expr[n:]
		p.Text += fmt.Sprintf(":%d", size)
		p.Pieces[len(p.Pieces)-1].Size = int(size)
	default:
		t.Fatalf("operation %#x", op)
	}
	return expr
}
