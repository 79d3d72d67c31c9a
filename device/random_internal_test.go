package device

import (
	"math"
	"testing"
)

// TestPhilox compares with the known answers that the authors of the generator publish (Random123, kat_vectors).
func TestPhilox(t *testing.T) {
	const ones = 0xffffffff
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("%x with the key %x: got %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// TestQuantile compares with the error function, and the logarithm with that of package math.
func TestQuantile(t *testing.T) {
	for i := range 2000 {
		p := math.Ldexp(1+float64(i)/2000, -1-i%53)
		if p >= 1 {
			continue
		}
		back := math.Erfc(-quantile(p)/math.Sqrt2) / 2
		if d := math.Abs(back-p) / min(p, 1-p); d > 1e-13 { // a last bit of z is 1e-16 z² of p
			t.Errorf("%v of %v is %v, of which the probability is %v", i, p, quantile(p), back)
		}
		if math.Abs(quantile(1-p)+quantile(p)) > 1e-15*math.Abs(quantile(p)) && 1-(1-p) == p {
			t.Errorf("the quantiles of %v and %v are no opposites", p, 1-p)
		}
		if got, want := logarithm(p), math.Log(p); math.Abs(got-want) > 4e-16*math.Abs(want) {
			t.Errorf("the logarithm of %v is %v, want %v", p, got, want)
		}
	}
	if quantile(0.5) != 0 {
		t.Error(quantile(0.5))
	}
}
