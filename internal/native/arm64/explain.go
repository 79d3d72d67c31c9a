package arm64

import (
	"fmt"
	"slices"
	"strings"
)

// why says what is wrong with the operands of an instruction that no form takes. It looks at the form that takes most of the
// operands before the first one that does not fit.
func why(op Op, args []Operand) string {
	if !op.valid() {
		return "there is no such operation"
	}
	var best *pattern
	matched := -1
	for i := range op.forms() {
		f := &op.forms()[i]
		if int(f.n) != len(args) {
			continue
		}
		_, n := f.encode(args)
		p := &patterns[f.args[n]]
		if n > matched || n == matched && !best.takes(&args[n]) && p.takes(&args[n]) {
			best, matched = p, n
		}
	}
	switch {
	case matched < 0:
		return fmt.Sprintf("the number of operands is %d, and %s takes %s", len(args), op, takes(op))
	case best.takes(&args[matched]):
		return fmt.Sprintf("operand %d must be %s", matched+1, encoders[best.enc].want(*best))
	}
	return fmt.Sprintf("operand %d does not fit, and %s takes %s", matched+1, op, takes(op))
}

// maxListed is the number of forms that an error lists.
const maxListed = 12

// takes lists the forms of an operation.
func takes(op Op) string {
	var texts []string
	for _, f := range op.Forms() {
		if f.Operands == "" {
			f.Operands = "nothing"
		}
		if !slices.Contains(texts, f.Operands) {
			texts = append(texts, f.Operands)
		}
	}
	if more := len(texts) - maxListed; more > 0 {
		texts = append(texts[:maxListed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}
