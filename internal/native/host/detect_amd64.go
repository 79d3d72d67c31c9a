package host

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"strings"
)

// cpuid asks the CPU.
func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// xgetbv reads XCR0: the registers that the system saves and restores. It needs OSXSAVE.
func xgetbv() uint64

func detect() CPU {
	ask := func(leaf, sub uint32) registers {
		eax, ebx, ecx, edx := cpuid(leaf, sub)
		return registers{eax, ebx, ecx, edx}
	}
	return decode(ask, xgetbv, runtime.GOOS)
}

// registers is an answer of CPUID.
type registers [4]uint32

const (
	eax = iota
	ebx
	ecx
	edx
)

// The parts of XCR0 without which the registers of an extension are lost.
const (
	stateYMM  = 1<<1 | 1<<2
	stateZMM  = stateYMM | 1<<5 | 1<<6 | 1<<7
	stateTile = 1<<17 | 1<<18
)

const (
	leafBasic    = 0x1
	leafExtended = 0x7
	leafAMD      = 0x80000001
)

// places says where CPUID has the bit of each feature, and which state the system must save for it.
var places = []struct {
	feature   Features
	leaf, sub uint32
	register  int
	bit       int
	state     uint64
}{
	{FMA, leafBasic, 0, ecx, 12, stateYMM},
	{POPCNT, leafBasic, 0, ecx, 23, 0},
	{F16C, leafBasic, 0, ecx, 29, stateYMM},
	{BMI1, leafExtended, 0, ebx, 3, 0},
	{AVX2, leafExtended, 0, ebx, 5, stateYMM},
	{BMI2, leafExtended, 0, ebx, 8, 0},
	{AVX512F, leafExtended, 0, ebx, 16, stateZMM},
	{AVX512DQ, leafExtended, 0, ebx, 17, stateZMM},
	{AVX512CD, leafExtended, 0, ebx, 28, stateZMM},
	{AVX512BW, leafExtended, 0, ebx, 30, stateZMM},
	{AVX512VL, leafExtended, 0, ebx, 31, stateZMM},
	{AVX512VBMI, leafExtended, 0, ecx, 1, stateZMM},
	{AVX512VBMI2, leafExtended, 0, ecx, 6, stateZMM},
	{AVX512VNNI, leafExtended, 0, ecx, 11, stateZMM},
	{AMXBF16, leafExtended, 0, edx, 22, stateTile},
	{AVX512FP16, leafExtended, 0, edx, 23, stateZMM},
	{AMXTile, leafExtended, 0, edx, 24, stateTile},
	{AMXInt8, leafExtended, 0, edx, 25, stateTile},
	{AVXVNNI, leafExtended, 1, eax, 4, stateYMM},
	{AVX512BF16, leafExtended, 1, eax, 5, stateZMM},
	{LZCNT, leafAMD, 0, ecx, 5, 0},
}

// decode describes a CPU by its answers, as a system uses it.
func decode(raw func(leaf, sub uint32) registers, xcr0 func() uint64, system string) CPU {
	ask := bounded(raw)
	basic := ask(leafBasic, 0)
	var saved uint64
	if basic[ecx]>>27&1 != 0 { // OSXSAVE
		saved = xcr0()
	}
	if system != "linux" {
		saved &^= stateTile // RequestAMX knows how to ask Linux
	}
	c := CPU{Arch: "amd64", Vendor: vendor(ask(0, 0)), Name: brand(ask)}
	c.Family, c.Model = familyModel(basic[eax])
	for _, p := range places {
		if ask(p.leaf, p.sub)[p.register]>>p.bit&1 != 0 && saved&p.state == p.state {
			c.Features |= p.feature
		}
	}
	c.readCaches(ask)
	return c
}

// bounded answers zeros for leaves that a CPU does not have. The CPU itself answers such a question with another leaf.
func bounded(raw func(leaf, sub uint32) registers) func(leaf, sub uint32) registers {
	maxBasic, maxAMD := raw(0, 0)[eax], raw(0x80000000, 0)[eax]
	return func(leaf, sub uint32) registers {
		limit := maxBasic
		if leaf >= 0x80000000 {
			limit = maxAMD
		}
		if leaf > limit || leaf == leafExtended && sub > raw(leafExtended, 0)[eax] {
			return registers{}
		}
		return raw(leaf, sub)
	}
}

func vendor(r registers) string { return text(r[ebx], r[edx], r[ecx]) }

func brand(ask func(leaf, sub uint32) registers) string {
	var words []uint32
	for leaf := uint32(0x80000002); leaf <= 0x80000004; leaf++ {
		r := ask(leaf, 0)
		words = append(words, r[:]...)
	}
	return text(words...)
}

// text is the characters in registers, the lowest byte first.
func text(words ...uint32) string {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return strings.TrimSpace(strings.TrimRight(string(b), "\x00"))
}

// familyModel adds the extended parts as the manuals of Intel and AMD say.
func familyModel(signature uint32) (family, model int) {
	base := int(signature >> 8 & 15)
	family, model = base, int(signature>>4&15)
	if base == 15 {
		family += int(signature >> 20 & 255)
	}
	if base == 6 || base == 15 {
		model += int(signature>>16&15) << 4
	}
	return family, model
}

// cacheLeaves is where each vendor describes the caches, in one format.
var cacheLeaves = map[string]uint32{AMD: 0x8000001d, "HygonGenuine": 0x8000001d}

func (c *CPU) readCaches(ask func(leaf, sub uint32) registers) {
	leaf, ok := cacheLeaves[c.Vendor]
	if !ok {
		leaf = 4
	}
	const data, unified = 1, 3
	for sub := uint32(0); sub < 16; sub++ {
		r := ask(leaf, sub)
		kind, level := r[eax]&31, r[eax]>>5&7
		if kind == 0 {
			return
		}
		ways, partitions, line, sets := r[ebx]>>22+1, r[ebx]>>12&1023+1, r[ebx]&4095+1, r[ecx]+1
		hi, size := bits.Mul64(uint64(ways*partitions*line), uint64(sets))
		if kind != data && kind != unified || hi != 0 {
			continue
		}
		switch level {
		case 1:
			c.L1d = int(size)
		case 2:
			c.L2 = int(size)
		case 3:
			c.L3 = int(size)
		}
	}
}
