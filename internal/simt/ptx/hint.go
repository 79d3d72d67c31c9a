package ptx

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// cacheHint is the modifier of an access that has a policy for the caches as its last operand.
const cacheHint = ".L2::cache_hint"

// withoutHint gives the opcode that the table has of an access with a policy for the caches, which changes nothing but the time that it
// takes: "" if there is none, or the table has it with the policy. Only accesses to global memory, perhaps by generic addresses, can have one.
func withoutHint(op string) string {
	plain := strings.Replace(op, cacheHint, "", 1)
	if plain == op || !startsWith("ld.", "st.", "atom.", "red.", "cp.async.")(respell(op)) {
		return ""
	}
	if words := strings.FieldsFunc(op, func(c rune) bool { return c == '.' || c == ':' }); words[0] != "cp" {
		for _, w := range []string{"shared", "local", "const", "param", "volatile", "cas", "async"} {
			if slices.Contains(words, w) {
				return ""
			}
		}
	}
	return respell(plain)
}

// withoutPolicy takes the policy from the operands of an access.
func (r *reader) withoutPolicy(t token, args []arg) []arg {
	end := len(args) - 1
	if end < 1 || args[end].Kind != simt.Imm && (args[end].Kind != simt.Register || r.f.Regs[args[end].Reg] != simt.B64) {
		r.fail(t, "%s has the wrong operands: expected a policy for the caches in 64 bits as the last one", t.text)
	}
	return args[:end]
}
