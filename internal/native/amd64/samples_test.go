package amd64

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

// An emitted sample is one with its bytes and its text.
type emitted struct {
	sample
	text string
	code []byte
}

// emitSamples gives all samples, which are assembled once, and reports what went wrong with them.
func emitSamples(t *testing.T) []emitted {
	t.Helper()
	all := allSamples()
	for _, problem := range all.problems {
		t.Error(problem)
	}
	return all.list
}

type sampleSet struct {
	list     []emitted
	problems []string
}

// allSamples assembles the samples and checks that every form was chosen.
var allSamples = sync.OnceValue(func() (all sampleSet) {
	seen := map[*form]bool{}
	a := Assembler{Record: true}
	samples(func(s sample) {
		e, err := s.emit(&a)
		if err != nil {
			all.problems = append(all.problems, fmt.Sprintf("%s, form %s: %v", s.op, s.form.operands(), err))
			return
		}
		seen[e.form] = true
		all.list = append(all.list, e)
	})
	for op := Op(1); int(op) <= Ops; op++ {
		for i := range op.forms() {
			if f := &op.forms()[i]; !seen[f] {
				all.problems = append(all.problems, fmt.Sprintf("%s: no sample got the form %s", op, f.operands()))
			}
		}
	}
	return all
})

// emit assembles one sample. The form that the assembler chooses may be another one.
func (s sample) emit(a *Assembler) (emitted, error) {
	a.Reset()
	a.Allowed = 0
	if s.form.flags&flagVex != 0 {
		a.Allowed = s.form.features
	}
	a.Bind(a.Label())
	if s.form.imm == immRel32 && s.op != CALL {
		a.Emit(NOP)
		a.Align(256) // too far for 8 bits
	}
	a.Emit(s.op, s.args...)
	code, err := a.Finish()
	if err != nil {
		return emitted{}, err
	}
	last := &a.record[len(a.record)-1]
	s.form = last.form
	return emitted{s, last.text(), bytes.Clone(code[last.offset:])}, nil
}
