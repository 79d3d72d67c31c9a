// Package cubin reads what a program has to know of the kernels in a cubin, NVIDIA's file of machine code, to launch them: their names, the
// sizes of their parameters, and the blocks and clusters that they demand.
//
// A cubin is an ELF file. Its section ".nv.info.NAME" holds attributes of the kernel NAME: two bytes for the form and the number of an attribute,
// then its value. NVIDIA does not document them; the numbers here are those that its cuobjdump names (-elf), and the tests compare with cubins of
// several of its assemblers.
package cubin

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// machine is that of a cubin's ELF header.
const machine = 190

// entry is set among the bits "other" of a kernel's symbol, and not in those of other functions.
const entry = 0x10

// Is reports whether a file is an ELF file, as cubins are.
func Is(file []byte) bool { return bytes.HasPrefix(file, []byte(elf.ELFMAG)) }

// Read lists the kernels of a cubin by their names.
func Read(file []byte) ([]simt.Signature, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("not a cubin: %w", err)
	}
	if f.Machine != machine || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB {
		return nil, fmt.Errorf("not a cubin, but an ELF file for the machine %v", f.Machine)
	}
	for _, s := range f.Sections { // which a few bytes may make long
		if s.Flags&elf.SHF_COMPRESSED != 0 {
			return nil, fmt.Errorf("the cubin's section %s is compressed, which those of NVIDIA's assemblers are not", s.Name)
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("the cubin has no symbols: %w", err)
	}
	var kernels []simt.Signature
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Other&entry == 0 || s.Section == elf.SHN_UNDEF {
			continue
		}
		k := simt.Signature{Name: s.Name}
		if err := readInfo(f, &k); err != nil {
			return nil, fmt.Errorf("the cubin's kernel %s: %w", s.Name, err)
		}
		kernels = append(kernels, k)
	}
	slices.SortFunc(kernels, func(a, b simt.Signature) int { return strings.Compare(a.Name, b.Name) })
	return kernels, nil
}

// The attributes that are read, by their numbers.
const (
	attrMaxThreads = 0x05
	attrRequired   = 0x10
	attrParam      = 0x17
	attrParamBytes = 0x19
	attrCluster    = 0x3d
	attrParamWide  = 0x45 // of kernels whose parameters take more than 4 KiB
)

// valueForm is that of an attribute with a value of any length; the others have two bytes.
const valueForm = 4

// param is where a parameter lies.
type param struct{ ordinal, offset, size int }

// readInfo reads the attributes of a kernel.
func readInfo(f *elf.File, k *simt.Signature) error {
	s := f.Section(".nv.info." + k.Name)
	if s == nil {
		return errors.New("nothing says which parameters it has")
	}
	data, err := s.Data()
	if err != nil {
		return err
	}
	var params []param
	total := 0
	for len(data) > 0 {
		if len(data) < 4 {
			return errors.New("its attributes end too early")
		}
		form, number, value := data[0], data[1], data[2:4]
		half := int(binary.LittleEndian.Uint16(value))
		data = data[4:]
		if form == valueForm {
			if half > len(data) {
				return errors.New("its attributes end too early")
			}
			value, data = data[:half], data[half:]
		}
		switch number {
		case attrParamBytes:
			total = half
		case attrMaxThreads, attrRequired, attrCluster:
			d, err := triple(value)
			if err != nil {
				return err
			}
			demand(k, number, d)
		case attrParam, attrParamWide:
			p, err := readParam(value, number == attrParamWide)
			if err != nil {
				return err
			}
			params = append(params, p)
		}
	}
	return place(k, params, total)
}
