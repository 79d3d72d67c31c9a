package cute_test

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
)

// readVariables reads the variables of a cubin, by function and name.
func readVariables(t *testing.T, cubin []byte) map[string]*variable {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil {
		t.Fatal(err)
	}
	section := func(name string) []byte {
		s := f.Section(name)
		if s == nil {
			t.Fatalf("the cubin has no %s", name)
		}
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		if s := f.Section(".rela" + name); s != nil { // addresses in the kernel, which begins at 0
			rela, err := s.Data()
			if err != nil {
				t.Fatal(err)
			}
			for ; len(rela) >= 24; rela = rela[24:] {
				copy(data[binary.LittleEndian.Uint64(rela):], rela[16:24])
			}
		}
		return data
	}
	d, err := dwarf.New(section(".debug_abbrev"), nil, nil, section(".debug_info"), section(".debug_line"), nil, nil, section(".debug_str"))
	if err != nil {
		t.Fatal(err)
	}
	lists, registers := section(".debug_loc"), section(".nv_debug_info_reg_sass")
	found, names := map[string]*variable{}, map[dwarf.Offset]string{}
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
			lines = readLines(t, d, e)
		case dwarf.TagSubprogram:
			names[e.Offset] = name
		case dwarf.TagInlinedSubroutine:
			name = names[e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)]
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			typ, err := d.Type(e.Val(dwarf.AttrType).(dwarf.Offset))
			if err != nil {
				t.Fatal(err)
			}
			in := functions[len(functions)-1]
			v := &variable{in, name, e.Val(dwarf.AttrDeclLine).(int64), e.Tag.String(), typeText(typ), nil, lines}
			v.places = places(t, lists[e.Val(dwarf.AttrLocation).(int64):], registers)
			found[in+"."+name] = v
		}
		if e.Children {
			functions = append(functions, name)
		}
	}
}

// readLines are the addresses of lines.
func readLines(t *testing.T, d *dwarf.Data, unit *dwarf.Entry) (list []dwarf.LineEntry) {
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

// places reads a list of places: addresses, and registers of PTX or numbers, with their sizes if there are several.
func places(t *testing.T, list, registers []byte) (out []place) {
	t.Helper()
	for {
		from, to := binary.LittleEndian.Uint64(list), binary.LittleEndian.Uint64(list[8:])
		if from == 0 && to == 0 {
			return out
		}
		n := int(binary.LittleEndian.Uint16(list[16:]))
		expr := list[18 : 18+n]
		list = list[18+n:]
		text := ""
		for len(expr) > 0 {
			op := expr[0]
			expr = expr[1:]
			switch op {
			case 0x90: // DW_OP_regx
				reg, n := binary.Uvarint(expr)
				expr = expr[n:]
				var name []byte
				for ; reg > 0; reg >>= 8 {
					name = append([]byte{byte(reg)}, name...)
				}
				if !bytes.Contains(registers, append(name, 0)) {
					t.Errorf("the assembler does not know where register %s is", name)
				}
				text += " " + string(name)
			case 0x0e: // DW_OP_const8u
				text += fmt.Sprintf(" =%d", binary.LittleEndian.Uint64(expr))
				expr = expr[8:]
			case 0x9f: // DW_OP_stack_value
			case 0x93: // DW_OP_piece
				size, n := binary.Uvarint(expr)
				expr = expr[n:]
				text += fmt.Sprintf(":%d", size)
			default:
				t.Fatalf("operation %#x", op)
			}
		}
		out = append(out, place{from, to, strings.TrimPrefix(text, " ")})
	}
}
