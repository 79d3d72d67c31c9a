// Package fakecubin makes files that are cubins by all that can be seen from outside, for stand-ins of NVIDIA's assemblers.
package fakecubin

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// The header's words for a cubin of CUDA 13.
const (
	machine = 190
	abi     = 8
)

const headerSize, sectionSize = 64, 64

// Make gives a cubin for a target such as "sm_90" with these kernels, whose machine code is a text.
func Make(target, code string, kernels ...string) []byte {
	number, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(target, "sm_"), "af"))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	names, symbols := []byte{0}, make([]elf.Sym64, 1)
	for _, k := range kernels {
		symbols = append(symbols, elf.Sym64{Name: uint32(len(names)), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 1})
		names = append(append(names, k...), 0)
	}
	const sections = "\x00.text\x00.symtab\x00.strtab\x00"
	names = append(names, sections...)
	at := func(s string) uint32 { return uint32(len(names) - len(sections) + strings.Index(sections, s)) }
	parts := [][]byte{[]byte(code), words(symbols), names}
	table := []elf.Section64{{},
		{Name: at(".text"), Type: uint32(elf.SHT_PROGBITS)},
		{Name: at(".symtab"), Type: uint32(elf.SHT_SYMTAB), Link: 3, Info: 1, Entsize: elf.Sym64Size},
		{Name: at(".strtab"), Type: uint32(elf.SHT_STRTAB)},
	}
	offset := uint64(headerSize + sectionSize*len(table))
	for i, p := range parts {
		table[i+1].Off, table[i+1].Size = offset, uint64(len(p))
		offset += uint64(len(p))
	}
	header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: machine, Version: 1, Flags: uint32(number) << 8, Shoff: headerSize,
		Ehsize: headerSize, Shentsize: sectionSize, Shnum: uint16(len(table)), Shstrndx: 3}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	header.Ident[elf.EI_VERSION], header.Ident[elf.EI_ABIVERSION] = 1, abi
	return bytes.Join(append([][]byte{words(header), words(table)}, parts...), nil)
}

// Printf gives the shell's command that writes a file's bytes to its standard output.
func Printf(file []byte) string {
	var b strings.Builder
	for _, c := range file {
		fmt.Fprintf(&b, `\%03o`, c)
	}
	return "printf '" + b.String() + "'"
}

func words(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic("BUG: " + err.Error())
	}
	return b.Bytes()
}
