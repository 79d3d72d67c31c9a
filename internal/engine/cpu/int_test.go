package cpu_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// encodeInts stores the low bits of numbers.
func encodeInts(e tileir.Elem, v []int64) []byte {
	var out []byte
	for _, x := range v {
		if e == tileir.I1 {
			out = append(out, byte(x&1))
			continue
		}
		for i := range e.Bytes() {
			out = append(out, byte(x>>(8*i)))
		}
	}
	return out
}

// decodeInts reads numbers as signed or unsigned.
func decodeInts(e tileir.Elem, b []byte, signed bool) []*big.Int {
	var out []*big.Int
	for i := 0; i < len(b); i += e.Bytes() {
		v := new(big.Int)
		for k := range e.Bytes() {
			v.Or(v, new(big.Int).Lsh(big.NewInt(int64(b[i+k])), uint(8*k)))
		}
		if signed && v.Bit(e.Bits()-1) == 1 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(e.Bits())))
		}
		out = append(out, v)
	}
	return out
}

// TestDivisionFaults divides single integers by zero, which ends a Go program too.
func TestDivisionFaults(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, op := range []string{"divi", "remi"} {
		k := newKernel(t)
		zero := k.i32(0)
		k.one(op, vals{k.i32(5), zero}, attrs{"signedness": tileir.Signed}, zero.Type)
		k.ret()
		err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1})
		if err == nil || !strings.Contains(err.Error(), "division by zero") || !strings.Contains(err.Error(), "k.ir:") {
			t.Errorf("%s: %v, want division by zero", op, err)
		}
	}
}
