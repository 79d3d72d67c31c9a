package amd64

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// slot is the space that each instruction gets in the assembled file, so that one with a wrong size does not move the others.
const slot = 16

// TestGNU compares the bytes of all samples with what GNU's assembler makes of their text. TestProgram has the jumps.
func TestGNU(t *testing.T) {
	as := testenv.Assembler(t)
	all := slices.DeleteFunc(slices.Clone(emitSamples(t)), func(e emitted) bool { return e.form.imm == immRel8 || e.form.imm == immRel32 })
	compare(t, as, all)
	t.Logf("%d instructions", len(all))
}

// compare reports one instruction of each form whose bytes are not those of GNU's assembler.
func compare(t *testing.T, as string, all []emitted) {
	t.Helper()
	source := bytes.NewBufferString(".intel_syntax noprefix\n")
	for _, e := range all {
		fmt.Fprintf(source, "%s\n.balign %d,0xcc\n", e.text, slot)
	}
	got := assemble(t, as, source.Bytes())
	reported := map[*form]bool{}
	for i, e := range all {
		want := got[i*slot : (i+1)*slot]
		same := bytes.Equal(want[:len(e.code)], e.code) && (len(e.code) == slot || want[len(e.code)] == 0xCC)
		if !same && !reported[e.form] {
			reported[e.form] = true
			t.Errorf("%s\n got % x\nwant % x", e.text, e.code, want)
		}
	}
}

// assemble gives the bytes of the code section that GNU's assembler makes.
func assemble(t *testing.T, as string, source []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(in, source, 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(as, "--64", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("as: %v\n%s", err, explain(msg, source))
	}
	f, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// explain adds the source lines to the assembler's first messages.
func explain(msg, source []byte) string {
	lines := bytes.Split(source, []byte("\n"))
	var b bytes.Buffer
	s := bufio.NewScanner(bytes.NewReader(msg))
	for n := 0; s.Scan() && n < 40; n++ {
		var line int
		_, rest, _ := bytes.Cut(s.Bytes(), []byte(".s:"))
		if _, err := fmt.Sscanf(string(rest), "%d:", &line); err == nil && line > 0 && line <= len(lines) {
			fmt.Fprintf(&b, "%s: %s\n", lines[line-1], rest)
		}
	}
	return b.String()
}
