package dwarftest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// Cubin reads the variables of machine code, whose addresses begin at 0 in its kernel.
func Cubin(t testing.TB, cubin []byte) []*Variable {
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
		if s := f.Section(".rela" + name); s != nil {
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
	s := sections{section(".debug_abbrev"), section(".debug_info"), section(".debug_line"), section(".debug_str"), section(".debug_loc"), section(".nv_debug_info_reg_sass")}
	return s.read(t)
}

// ByName gives variables by "function.name"; of those with one name the last.
func ByName(list []*Variable) map[string]*Variable {
	m := map[string]*Variable{}
	for _, v := range list {
		m[v.Function+"."+v.Name] = v
	}
	return m
}
