package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// full is an output with room for so many bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n := f.room
		f.room = 0
		return n, errors.New("no room left")
	}
	f.room -= len(p)
	return len(p), nil
}

// TestOutputFails: no command ends as if its output had been written where it was not.
func TestOutputFails(t *testing.T) {
	const vadd, vmul = "cmd/cutile/testdata/vadd.tileirbc", "cmd/cutile/testdata/vmul.tileir"
	for _, line := range []string{
		"help", "help dump", "version", "doctor -json", "doctor", "ops", "ops mmaf_scaled", "ops -json",
		"asm " + vmul, "disasm " + vadd, "disasm -g " + vadd, "disasm -places " + vadd, "disasm -mlir " + vadd, "verify " + vadd, "cost " + vadd + " -grid 4 -array float32:4096 -array float32:4096 -array float32:4096", "diff " + vadd + " " + vmul,
		"dump " + kernelsDir + " Add[D64] -stage source,types,lowered,ir,checks,cost",
		"run " + vadd + " -grid 4 -array float32:4096:iota -array float32:4096:0.5 -array float32:4096 -print",
	} {
		args := strings.Fields(line)
		var out, errs bytes.Buffer
		if code := run(args, bytes.NewReader(nil), &out, &errs); out.Len() == 0 {
			t.Errorf("%s: exit code %d without output: %s", line, code, errs.String())
			continue
		}
		for _, room := range []int{0, out.Len() / 2, out.Len() - 1} {
			errs.Reset()
			code := run(args, bytes.NewReader(nil), &full{room}, &errs)
			if code == exitOK || !strings.Contains(errs.String(), "no room left") {
				t.Errorf("%s, with room for %d of %d bytes: exit code %d, %q", line, room, out.Len(), code, errs.String())
			}
		}
	}
}
