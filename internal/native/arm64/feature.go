package arm64

import "strings"

// Features is a set of extensions of the base architecture.
type Features uint16

// The extensions, which the architecture calls FEAT_LSE and so on, in the order of featureNames.
const (
	LSE     Features = 1 << iota // atomic operations on memory
	FP16                         // arithmetic on 16-bit floats
	FHM                          // products of 16-bit floats, added to 32-bit floats
	DotProd                      // products of four bytes, added to 32-bit integers
	BF16                         // bfloat16
	I8MM                         // matrix products of bytes

	featureEnd
)

// AllFeatures has every extension.
const AllFeatures = featureEnd - 1

// featureNames has the names of the extensions in the order of their bits.
const featureNames = "lse fp16 fhm dotprod bf16 i8mm"

// Has reports whether f has all of g.
func (f Features) Has(g Features) bool { return g&^f == 0 }

// String lists the extensions by name, such as "lse dotprod".
func (f Features) String() string {
	var names []string
	for i, name := range strings.Fields(featureNames) {
		if f>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
