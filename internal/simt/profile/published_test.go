package profile

import (
	"math"
	"testing"
)

// TestPublished compares the rates of arithmetic with what the products' datasheets and whitepapers say, in dense TFLOP/s.
func TestPublished(t *testing.T) {
	for _, p := range []struct {
		target, rate string
		want         float64
	}{
		{"sm_75", "mma.f16", 65}, {"sm_75", "mma.s8", 130}, {"sm_75", "f32", 8.1},
		{"sm_80", "mma.f16", 312}, {"sm_80", "mma.bf16", 312}, {"sm_80", "mma.tf32", 156}, {"sm_80", "mma.s8", 624}, {"sm_80", "mma.f64", 19.5},
		{"sm_80", "f32", 19.5}, {"sm_80", "f64", 9.7}, {"sm_80", "half", 78},
		{"sm_86", "mma.f16", 125}, {"sm_86", "mma.bf16", 125}, {"sm_86", "mma.tf32", 62.5}, {"sm_86", "mma.s8", 250}, {"sm_86", "f32", 31.2},
		{"sm_89", "mma.f16", 121}, {"sm_89", "mma.tf32", 60}, {"sm_89", "mma.s8", 242.5}, {"sm_89", "mma.fp8", 242.5}, {"sm_89", "f32", 30.3},
		{"sm_90", "wgmma.f16", 989.4}, {"sm_90", "wgmma.bf16", 989.4}, {"sm_90", "wgmma.tf32", 494.7}, {"sm_90", "wgmma.fp8", 1978.9},
		{"sm_90", "wgmma.s8", 1978.9},
		{"sm_100", "tcgen05.f16", 2250}, {"sm_100", "tcgen05.tf32", 1125}, {"sm_100", "tcgen05.s8", 4500}, {"sm_100", "tcgen05.fp8", 4500},
		{"sm_100", "tcgen05.fp4", 9000},
		{"sm_120", "mma.f16", 209.5}, {"sm_120", "mma.f16.f16", 419}, {"sm_120", "mma.bf16", 209.5}, {"sm_120", "mma.tf32", 104.8},
		{"sm_120", "mma.s8", 838}, {"sm_120", "mma.fp8", 419}, {"sm_120", "mma.fp8.f16", 838}, {"sm_120", "mma.fp4", 1676}, {"sm_120", "f32", 104.8},
	} {
		x, err := TargetOf(p.target)
		if err != nil {
			t.Fatal(err)
		}
		numbers := 1.0
		if p.rate == "half" {
			numbers = 2 // of an instruction
		}
		got := 2 * numbers * x.per(p.rate) * float64(x.SMs) * x.GHz / 1000
		if math.Abs(got/p.want-1) > 0.013 {
			t.Errorf("%s of %s: %.1f TFLOP/s, published are %.1f", p.rate, x.Product, got, p.want)
		}
	}
}

func TestTargetOf(t *testing.T) {
	for arch, want := range map[string]string{"sm_75": "sm_75", "sm_90a": "sm_90", "sm_103f": "sm_100", "sm_121a": "sm_120", "sm_87": "sm_86", "sm_88": "sm_86"} {
		if x, err := TargetOf(arch); err != nil || x.Name != want {
			t.Errorf("%s: %s, %v, want %s", arch, x.Name, err, want)
		}
	}
	for _, arch := range []string{"sm_70", "sm_", "90", "", "sm_110", "cpu"} {
		if x, err := TargetOf(arch); err == nil {
			t.Errorf("%s: %s", arch, x.Name)
		}
	}
}
