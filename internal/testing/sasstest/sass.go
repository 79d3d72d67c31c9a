// Package sasstest measures machine code: what cubins that NVIDIA's assembler made are full of. Its tests hold kernels
// against the same kernels of cuTile Python.
package sasstest

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// Class is a kind of instruction.
type Class string

// The classes that matter: what multiplies matrices, what moves tiles, and spills, which should not be there.
const (
	HGMMA      Class = "warp group matrix" // sm_90
	UTCMMA     Class = "tensor memory matrix"
	HMMA       Class = "warp matrix"
	TMALoad    Class = "TMA load"
	TMAStore   Class = "TMA store"
	AsyncCopy  Class = "asynchronous copy"
	LocalLoad  Class = "local load"
	LocalStore Class = "local store"
)

// classes gives the opcodes of a class as a pattern for the whole opcode.
var classes = []struct {
	class   Class
	opcodes *regexp.Regexp
}{
	{HGMMA, regexp.MustCompile(`^[HQIB]GMMA$`)},
	{UTCMMA, regexp.MustCompile(`^UTC[A-Z]*MMA$`)},
	{HMMA, regexp.MustCompile(`^[HQOID]MMA$`)},
	{TMALoad, regexp.MustCompile(`^UTMALDG$`)},
	{TMAStore, regexp.MustCompile(`^UTMA(STG|REDG)$`)},
	{AsyncCopy, regexp.MustCompile(`^LDGSTS$`)},
	{LocalLoad, regexp.MustCompile(`^LDL$`)},
	{LocalStore, regexp.MustCompile(`^STL$`)},
}

// Profile counts the instructions of a cubin.
type Profile struct {
	Instructions int // without NOP
	Classes      map[Class]int
}

// Spills counts loads from and stores to local memory.
func (p Profile) Spills() int { return p.Classes[LocalLoad] + p.Classes[LocalStore] }

// String is such as "637 instructions, HGMMA 16".
func (p Profile) String() string {
	s := fmt.Sprintf("%d instructions", p.Instructions)
	for _, c := range classes {
		if n := p.Classes[c.class]; n > 0 {
			s += fmt.Sprintf(", %s %d", c.class, n)
		}
	}
	return s
}

// instruction matches a line of a disassembly: address, perhaps a predicate, opcode.
var instruction = regexp.MustCompile(`(?m)^\s+/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_]*)`)

// Disassemble assembles bytecode for a target and disassembles the result with cuobjdump.
func Disassemble(t testing.TB, bytecode []byte, target string) string {
	t.Helper()
	return assemble.Run(t, toolchain.Cuobjdump, assemble.Cubin(t, bytecode, target), "-sass")
}

// Measure counts the instructions of a module for a target.
func Measure(t testing.TB, bytecode []byte, target string) Profile {
	t.Helper()
	text := Disassemble(t, bytecode, target)
	p := Count(text)
	if p.Instructions == 0 {
		t.Fatalf("no instruction in what cuobjdump printed:\n%s", text[:min(len(text), 500)])
	}
	return p
}

// function matches the line above a function's instructions.
var function = regexp.MustCompile(`(?m)^\s*Function : (\S+)$`)

// Functions takes a disassembly by cuobjdump apart, by the functions' names. The disassembler takes most of a second to start, so
// that several small kernels are best in one module.
func Functions(text string) map[string]string {
	parts, at := map[string]string{}, function.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		parts[text[m[2]:m[3]]] = text[m[1]:end]
	}
	return parts
}

// Count counts the instructions of a disassembly by cuobjdump.
func Count(text string) Profile {
	p := Profile{Classes: map[Class]int{}}
	for _, m := range instruction.FindAllStringSubmatch(text, -1) {
		if m[1] == "NOP" {
			continue
		}
		p.Instructions++
		for _, c := range classes {
			if c.opcodes.MatchString(m[1]) {
				p.Classes[c.class]++
			}
		}
	}
	return p
}

// Worse says what is worse about ours than about a reference: other units, more than 1 % more instructions, more spills.
func Worse(ours, reference Profile) []string { return WorseBy(1, ours, reference) }

// WorseBy is [Worse] with another bound, in percent. Tiles that are moved by TMA and not one by one are no worse.
func WorseBy(percent int, ours, reference Profile) (all []string) {
	for _, c := range classes {
		a, b := ours.Classes[c.class], reference.Classes[c.class]
		switch c.class {
		case LocalLoad, LocalStore:
			continue
		case TMALoad, TMAStore:
			if a > 0 {
				continue
			}
		}
		if (a > 0) != (b > 0) {
			all = append(all, fmt.Sprintf("%s: %d, the reference has %d", c.class, a, b))
		}
	}
	if 100*ours.Instructions > (100+percent)*reference.Instructions {
		all = append(all, fmt.Sprintf("%d instructions, the reference has %d", ours.Instructions, reference.Instructions))
	}
	if ours.Spills() > reference.Spills() {
		all = append(all, fmt.Sprintf("%d spills, the reference has %d", ours.Spills(), reference.Spills()))
	}
	return all
}
