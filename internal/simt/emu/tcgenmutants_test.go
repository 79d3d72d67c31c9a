package emu_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestTensorGemmMutants leaves out a line of each kernel, or changes one. Each is noticed: by a mistake, or by the results.
func TestTensorGemmMutants(t *testing.T) {
	const release = "mbarrier.arrive.shared.b64 _, [drained];"
	changes := map[string][]string{
		"64 for 128 bytes of swizzle":   {"add.u64 %d7, %d7, ", "sub.u64 %d7, %d7, 0xc000000000000000; add.u64 %d7, %d7, "},
		"no swizzle":                    {"add.u64 %d7, %d7, ", "sub.u64 %d7, %d7, 0x4000000000000000; add.u64 %d7, %d7, "},
		"another stride":                {"add.u64 %d7, %d7, ", "add.u64 %d7, %d7, 0x100000000; add.u64 %d7, %d7, "},
		"another step along k":          {"add.u64 %d13, %d7, 2;", "add.u64 %d13, %d7, 1;"},
		"the old result is added":       {"setp.ne.u32 %p2, %r21, 0;", "setp.eq.u32 %p2, %r0, %r0;"},
		"the old result is not added":   {"setp.eq.u32 %p2, %r0, %r0;", "setp.ne.u32 %p2, %r0, %r0;"},
		"other lanes":                   {"tcgen05.ld.sync.aligned.32x32b.x32.b32 {", "xor.b32 %r11, %r11, 0x200000; tcgen05.ld.sync.aligned.32x32b.x32.b32 {"},
		"another column":                {", [%r11];", ", [%r11+1];"},
		"the other parity of a stage":   {"and.b32 %r23, %r23, 1;\nshl", "and.b32 %r23, %r23, 1; xor.b32 %r23, %r23, 1;\nshl"},
		"the commit to the other stage": {".shared::cluster.b64 [%r26];", ".shared::cluster.b64 [%r25];"},
		"few columns":                   {"shared::cta.b32 [ta], 64;", "shared::cta.b32 [ta], 32;"},
		"release before the load":       {release, "", "tcgen05.ld.sync", release + " tcgen05.ld.sync"},
	}
	for _, g := range gemms {
		text := g.text()
		mutants := map[string]string{}
		for i, line := range strings.SplitAfter(text, "\n") {
			if _, name, ok := strings.Cut(line, "  // "); ok {
				lines := strings.SplitAfter(text, "\n")
				lines[i] = "\n"
				mutants[fmt.Sprintf("without %s (line %d)", strings.TrimSpace(name), i)] = strings.Join(lines, "")
			}
		}
		for name, c := range changes {
			if name == "few columns" && !g.scaled {
				continue
			}
			mutants[name] = strings.NewReplacer(c...).Replace(text)
			if mutants[name] == text {
				t.Errorf("%s: nothing to change for %q", g.kind, name)
			}
		}
		for name, mutant := range mutants {
			err := g.run(mutant, true, 1)
			if err == nil {
				t.Errorf("%s, %s: nobody noticed", g.kind, name)
				continue
			}
			t.Logf("%s, %s: %.160v", g.kind, name, err)
		}
		if len(mutants) < 20 {
			t.Errorf("%s: %d mutants", g.kind, len(mutants))
		}
	}
}
