package simttest

import "testing"

func TestUsage(t *testing.T) {
	const fine = "ptxas info : 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info : Used 8 registers, used 1 barriers\n"
	const stores = "    0 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads\n"
	const loads = "    0 bytes stack frame, 0 bytes spill stores, 12 bytes spill loads\n"
	if got, err := usage(fine); err != nil || got != "[Used 8 registers, used 1 barriers]" {
		t.Errorf("usage gives %q, %v", got, err)
	}
	for _, said := range []string{"", fine + stores, loads + fine} {
		if _, err := usage(said); err == nil {
			t.Errorf("no error for %q", said)
		}
	}
}
