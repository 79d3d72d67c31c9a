package threadtest_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestNegativeFactors: instructions do not look at the signs of factors of blocks. A launch with a negative one ends, or multiplies by it where
// there are none of these instructions.
func TestNegativeFactors(t *testing.T) {
	p := &matrices{m: 128, n: 16, k: 64, turns: 1, left: four, right: four, loaded: [2]string{"i8", "i8"}, sum: "f32", begin: "five", how: "plain", scales: "f8E4M3FN", block: 16,
		negative: true}
	for arch, want := range map[string]string{"sm_80": "", "sm_100a": "a factor of mmaf_scaled is negative", "sm_120a": "a factor of mmaf_scaled is negative"} {
		err := p.run(threadtest.Emulator(arch, threads.Options{}), 1, 0)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", arch, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", arch, err, want)
		}
	}
}
