package bytecode_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// inlinedModule has operations that were inlined through so many calls, which share their callers.
func inlinedModule(calls int) *Module {
	m := placed()
	outer := m.Entries[0].Body.Ops[0].Loc
	for i := range calls {
		outer = Loc{File: "/src/lib.go", Line: i + 1, Col: 2, Caller: func() *Loc { l := outer; return &l }()}
	}
	for _, op := range m.Entries[0].Body.Ops {
		op.Loc = outer
	}
	return m
}

// TestDeepCalls inlines calls as deep as the limit says through verifier, bytecode, printer and parser, and one deeper:
// then both readers refuse them and name the limit.
func TestDeepCalls(t *testing.T) {
	for _, calls := range []int{63, 64, 65, 110, MaxCallDepth - 1, MaxCallDepth, MaxCallDepth + 1} {
		m := inlinedModule(calls)
		if err := m.Verify(Newest); err != nil {
			t.Fatalf("%d calls: %v", calls, err)
		}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Fatalf("%d calls: %v", calls, err)
		}
		text := printed(t, m, true)
		read, _, readErr := bytecode.Read(data)
		parsed, parseErr := irtext.Parse(text, irtext.ParseOptions{})
		if calls > MaxCallDepth {
			want := fmt.Sprintf("more than %d nested calls", MaxCallDepth)
			for _, err := range []error{readErr, parseErr} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%d calls: %v, want %q", calls, err, want)
				}
			}
			continue
		}
		if readErr != nil || parseErr != nil {
			t.Fatalf("%d calls: %v, %v", calls, readErr, parseErr)
		}
		for name, again := range map[string]*Module{"read": read, "parsed": parsed} {
			if err := again.Verify(Newest); err != nil {
				t.Errorf("%s, %d calls: %v", name, calls, err)
			}
			second, err := bytecode.Write(again, Newest, bytecode.Options{})
			if err != nil || !bytes.Equal(second, data) {
				t.Errorf("%s, %d calls: other bytes (%v)", name, calls, err)
			}
			if got := printed(t, again, true); got != text {
				t.Errorf("%s, %d calls: %s", name, calls, firstDifference(got, text))
			}
		}
	}
}

// TestDeepCallsShared has many operations deep in the same calls, of which each is written, printed and verified once.
func TestDeepCallsShared(t *testing.T) {
	testenv.Alone(t)
	m := inlinedModule(MaxCallDepth)
	body := m.Entries[0].Body
	var ops []*Op
	for i := range 20000 {
		op := NewOp(Lookup("make_token"), nil, nil, []Type{Token}, nil, body.Ops[0].Loc)
		op.Loc.Line = i + 1
		ops = append(ops, op)
	}
	body.Ops = append(ops, body.Ops...)
	if err := m.Verify(Newest); err != nil {
		t.Fatal(err)
	}
	data, err := bytecode.Write(m, Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(data) / 20000; n > 100 {
		t.Errorf("%d bytes for each operation", n)
	}
	if text := printed(t, m, true); len(text)/20000 > 200 {
		t.Errorf("%d bytes of text for each operation", len(text)/20000)
	}
}
