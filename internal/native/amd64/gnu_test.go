package amd64

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// slot is the space that each instruction gets in the assembled file, so that one with a wrong size does not move the others.
const slot = 16

// TestGNU compares the bytes of all samples with what GNU's assembler makes of their text.
func TestGNU(t *testing.T) {
	as := testenv.Assembler(t)
	all := emitSamples(t)
	var source bytes.Buffer
	source.WriteString(".intel_syntax noprefix\n")
	for _, e := range all {
		if e.form.imm == immRel8 || e.form.imm == immRel32 {
			fmt.Fprintf(&source, ".balign 16,0xcc\n") // TestProgram has the jumps
			continue
		}
		fmt.Fprintf(&source, "%s\n.balign %d,0xcc\n", e.text, slot)
	}
	got := assemble(t, as, source.Bytes())
	n, wrong := 0, 0
	reported := map[*form]bool{} // one sample of a form
	for _, e := range all {
		if e.form.imm == immRel8 || e.form.imm == immRel32 {
			continue
		}
		want := got[n*slot : (n+1)*slot]
		n++
		if !bytes.Equal(want[:len(e.code)], e.code) || len(e.code) < slot && want[len(e.code)] != 0xCC {
			wrong++
			if !reported[e.form] {
				reported[e.form] = true
				t.Errorf("%s\n got % x\nwant % x", e.text, e.code, want)
			}
		}
	}
	t.Logf("%d instructions, %d differ", n, wrong)
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
