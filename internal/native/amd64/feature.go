package amd64

import "strings"

// Features is a set of what a processor may have beyond the first x86-64 processors.
type Features uint64

// The features that instructions need. A processor that has one of the AVX-512 extensions has AVX512F, too.
const (
	FeaturePOPCNT Features = 1 << iota
	FeatureLZCNT
	FeatureMOVBE
	CX16
	PRFCHW
	BMI1
	BMI2
	AVX
	AVX2
	FMA
	F16C
	AVXVNNI
	AVXVNNIINT8
	AVXIFMA
	AVXNECONVERT
	AVX512F
	AVX512CD
	AVX512BW
	AVX512DQ
	AVX512VL
	AVX512IFMA
	AVX512VBMI
	AVX512VBMI2
	AVX512VNNI
	AVX512BITALG
	AVX512VPOPCNTDQ
	AVX512BF16
	AVX512FP16
	GFNI
	AMXTILE
	AMXBF16
	AMXINT8
	AMXFP16
	featureEnd
)

var featureNames = [...]string{"POPCNT", "LZCNT", "MOVBE", "CX16", "PRFCHW", "BMI1", "BMI2", "AVX", "AVX2", "FMA", "F16C", "AVX-VNNI", "AVX-VNNI-INT8", "AVX-IFMA", "AVX-NE-CONVERT",
	"AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL", "AVX512-IFMA", "AVX512-VBMI", "AVX512-VBMI2", "AVX512-VNNI",
	"AVX512-BITALG", "AVX512-VPOPCNTDQ", "AVX512-BF16", "AVX512-FP16", "GFNI", "AMX-TILE", "AMX-BF16", "AMX-INT8", "AMX-FP16"}

// AllFeatures has every feature that the table mentions.
const AllFeatures = featureEnd - 1

// Has reports whether f has all of g.
func (f Features) Has(g Features) bool { return g&^f == 0 }

// String lists the features by name, such as "AVX2 FMA".
func (f Features) String() string {
	var names []string
	for i, name := range featureNames {
		if f.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
