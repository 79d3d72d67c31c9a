package bytecode_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// verdict is what comes of comparing the opinions on a mutant.
type verdict struct {
	trial    string // how the mutant can be made again
	kind     string
	problems []string // what is wrong with our opinion
	rows     []string // what explains that opinions differ
}

func (v *verdict) problem(format string, args ...any) {
	v.problems = append(v.problems, fmt.Sprintf(format, args...))
}

// explain looks for the row that explains a text.
func (v *verdict) explain(rows []explained, r *trial, text string) bool {
	for i := range rows {
		if rows[i].matches(r, text) {
			v.rows = append(v.rows, rows[i].why)
			return true
		}
	}
	return false
}

// judge compares the opinions.
func (r *trial) judge() verdict {
	v := verdict{trial: r.String()}
	v.messages(r.verify)
	switch {
	case r.verify == nil:
		v.kind = "accepted"
		v.accepted(r)
	case r.write != nil:
		v.kind = "refused, and cannot be written"
	case !r.dis.accepts():
		v.kind = "refused by tileirdisasm too"
		v.sameOperation(r)
	case r.asm.code == malformed:
		v.kind = "refused by tileiras too"
	default:
		v.kind = "refused by Verify alone"
		v.stricter(r, r.verify)
	}
	return v
}

// stricter checks that faults which the tools do not find are explained.
func (v *verdict) stricter(r *trial, faults []*VerifyError) {
	for _, e := range faults {
		if !v.explain(stricter, r, e.What) {
			v.problem("the tools find no fault where we do, and no row of stricter explains that: %v", e)
		}
	}
}

// accepted checks a module that Verify accepts: it can be written, and the tools and our reader take the file.
func (v *verdict) accepted(r *trial) {
	if r.write != nil {
		v.problem("Verify accepts what cannot be written: %v", r.write)
		return
	}
	v.roundTrip(r)
	var text strings.Builder
	if err := irtext.Print(&text, r.m, irtext.PrintOptions{Debug: r.debug()}); err != nil {
		v.problem("it cannot be printed: %v", err)
	}
	switch {
	case !r.dis.accepts() && !v.explain(crashes, r, r.dis.output):
		v.problem("tileirdisasm refuses what Verify accepts: status %d: %s", r.dis.code, r.dis.output)
	case r.dis.accepts() && r.dis.output != text.String():
		v.problem("tileirdisasm prints another text: %s", firstDifference(text.String(), r.dis.output))
	}
	v.messages(r.target)
	switch {
	case r.asm.accepts():
		v.stricter(r, r.target)
	case r.asm.ran && (r.asm.code == malformed || r.target == nil && !v.explain(uncompiled, r, r.asm.output)):
		v.problem("tileiras refuses what Verify accepts: status %d: %s", r.asm.code, r.asm.output)
	}
}

// roundTrip reads what was written.
func (v *verdict) roundTrip(r *trial) {
	again, version, err := bytecode.Read(r.data)
	if err != nil {
		v.problem("what Verify accepts cannot be read: %v", err)
		return
	}
	if version != r.version || irtext.Sprint(again) != irtext.Sprint(r.m) {
		v.problem("read back in version %v it has another text: %s", version, firstDifference(irtext.Sprint(again), irtext.Sprint(r.m)))
	}
	if err := again.Verify(version); err != nil {
		v.problem("read back it is refused: %v", err)
	}
	if second, err := bytecode.Write(again, version, bytecode.Options{}); err != nil || !bytes.Equal(second, r.data) {
		v.problem("read back and written again it has other bytes (%v)", err)
	}
}

// pointerText is what %v makes of a pointer.
var pointerText = regexp.MustCompile(`\b0x[0-9a-f]{6,}`)

// messages checks that faults say what was found and where.
func (v *verdict) messages(faults []*VerifyError) {
	for _, e := range faults {
		text := e.Error()
		if e.Op != nil && e.Op.Loc.Line != 0 {
			place := fmt.Sprintf("(%s) at %s:%d:%d: ", e.Op.Info.Mnemonic, e.Op.Loc.File, e.Op.Loc.Line, e.Op.Loc.Col)
			if !strings.Contains(text, place) {
				v.problem("%q does not say %q", text, place)
			}
		}
		if expected, found, ok := strings.Cut(e.What, ", but found "); ok && strings.HasSuffix(expected, "expected "+found) {
			v.problem("%q expects what it found", text)
		}
		if e.What == "" || strings.Contains(text, "%!") || strings.Contains(text, "<nil>") || pointerText.MatchString(text) {
			v.problem("%q is no good message", text)
		}
	}
}

// sameOperation checks that Verify complains of the operation that the disassembler complains of.
func (v *verdict) sameOperation(r *trial) {
	_, rest, _ := strings.Cut(r.dis.output, "'cuda_tile.")
	name, _, _ := strings.Cut(rest, "'")
	in := Lookup(name)
	if in == nil {
		return // it could not be read so far
	}
	for _, e := range r.verify {
		switch {
		case v.explain(stricter, r, e.What):
			return // the file holds another module
		case e.Op == nil && !in.InBody, e.Op != nil && e.Op.Info == in:
			return
		case len(e.Path) > 1 && len(in.Regions) > 0, e.Op != nil && len(e.Op.Info.Regions) > 0:
			return // one operation is around the other
		}
	}
	v.problem("tileirdisasm complains of %s, Verify does not: %v\n%s", name, r.verify, r.dis.output)
}
