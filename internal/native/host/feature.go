package host

import (
	"math/bits"
	"slices"
	"strings"
)

// Features is a set of extensions of an instruction set. Each constant is a set of one.
type Features uint64

// The features that generated code may use: first those of amd64, then those of arm64.
const (
	AVX2 Features = 1 << iota
	FMA
	F16C
	BMI1
	BMI2
	LZCNT
	POPCNT
	AVXVNNI
	AVX512F
	AVX512BW
	AVX512DQ
	AVX512VL
	AVX512CD
	AVX512VBMI
	AVX512VBMI2
	AVX512VNNI
	AVX512BF16
	AVX512FP16
	AMXTile // code asks RequestAMX before it uses the AMX features
	AMXBF16
	AMXInt8
	NEON
	DotProd
	BF16
	I8MM
	FP16 // arithmetic on half precision vectors
	LSE  // atomic instructions
)

// features has a row for each feature, in the order of the bits: its name in CUTILE_CPU, and the lowest level whose code may
// use it.
var features = []struct {
	bit   Features
	name  string
	level Level
}{
	{AVX2, "avx2", LevelAVX2},
	{FMA, "fma", LevelAVX2},
	{F16C, "f16c", LevelAVX2},
	{BMI1, "bmi1", LevelAVX2},
	{BMI2, "bmi2", LevelAVX2},
	{LZCNT, "lzcnt", LevelAVX2},
	{POPCNT, "popcnt", LevelAVX2},
	{AVXVNNI, "avxvnni", LevelAVX2},
	{AVX512F, "avx512f", LevelAVX512},
	{AVX512BW, "avx512bw", LevelAVX512},
	{AVX512DQ, "avx512dq", LevelAVX512},
	{AVX512VL, "avx512vl", LevelAVX512},
	{AVX512CD, "avx512cd", LevelAVX512},
	{AVX512VBMI, "avx512vbmi", LevelAVX512},
	{AVX512VBMI2, "avx512vbmi2", LevelAVX512},
	{AVX512VNNI, "avx512vnni", LevelAVX512},
	{AVX512BF16, "avx512bf16", LevelAVX512},
	{AVX512FP16, "avx512fp16", LevelAVX512},
	{AMXTile, "amx-tile", LevelAVX512},
	{AMXBF16, "amx-bf16", LevelAVX512},
	{AMXInt8, "amx-int8", LevelAVX512},
	{NEON, "neon", LevelNEON},
	{DotProd, "dotprod", LevelNEON},
	{BF16, "bf16", LevelNEON},
	{I8MM, "i8mm", LevelNEON},
	{FP16, "fp16", LevelNEON},
	{LSE, "lse", LevelNEON},
}

// Has reports whether all features of another set are in this one.
func (f Features) Has(other Features) bool { return f&other == other }

// Names lists the features, in the order of the constants.
func (f Features) Names() []string {
	names := make([]string, 0, bits.OnesCount64(uint64(f)))
	for _, row := range features {
		if f.Has(row.bit) {
			names = append(names, row.name)
		}
	}
	return names
}

// String is the names, with blanks between them.
func (f Features) String() string { return strings.Join(f.Names(), " ") }

// named gives the features of a name: one, or for a name such as amx all that begin with it and a hyphen. The set is empty
// where there is no such name.
func named(name string) Features {
	var f Features
	for _, row := range features {
		if row.name == name || strings.HasPrefix(row.name, name+"-") {
			f |= row.bit
		}
	}
	return f
}

// featureNames lists the names for one architecture.
func featureNames(arch string) []string {
	var names []string
	for _, row := range features {
		if levels[row.level].arch == arch && !slices.Contains(names, row.name) {
			names = append(names, row.name)
		}
	}
	return names
}
