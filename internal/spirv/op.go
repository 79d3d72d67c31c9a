package spirv

import "github.com/cutile-go/cutile/internal/spirv/grammar"

//go:generate go run ./gen constants_gen.go

// Op is the code of an instruction.
type Op uint16

// String gives the name, "OpIAdd".
func (o Op) String() string {
	if op, ok := grammar.Get().Op(uint32(o)); ok {
		return op.Name
	}
	return "OpUnknown"
}
