package emu_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// tensorCopyLayouts are the shapes of cp, as CUTLASS's copy traits have them: where the bits of each lane go, by row, for rows of
// so many bytes. The last mode of each is the lanes that have the same.
var tensorCopyLayouts = map[string]struct {
	rows, bytes int
	lanes       strided // of a row
	copies      strided
}{
	"128x256b":              {128, 32, strided{{128, 1}}, strided{{1, 0}}},
	"128x128b":              {128, 16, strided{{128, 1}}, strided{{1, 0}}},
	"4x256b":                {4, 32, strided{{4, 32}}, strided{{1, 0}}},
	"32x128b.warpx4":        {32, 16, strided{{32, 1}}, strided{{4, 32}}},
	"64x128b.warpx2::02_13": {64, 16, strided{{64, 1}}, strided{{2, 64}}},
	"64x128b.warpx2::01_23": {64, 16, strided{{32, 1}, {2, 64}}, strided{{2, 32}}},
}

// judgeTensorCopy copies from a layout of shared memory.
func judgeTensorCopy(op string, n int) error {
	rng := rand.New(rand.NewPCG(uint64(n), 11))
	name := strings.TrimPrefix(strings.TrimPrefix(op, "tcgen05.cp.cta_group::1."), "tcgen05.cp.cta_group::2.")
	name, format, packed := strings.Cut(name, ".b8x16.")
	s := tensorCopyLayouts[name]
	y := sharedLayouts[n%5]
	blocks := 1
	if strings.Contains(op, "cta_group::2") {
		blocks = 2
	}
	b := newTensorBench(blocks, 16<<10, 32)
	for i := range b.tensor {
		b.tensor[i] = rng.Uint32()
	}
	want := append([]uint32(nil), b.tensor...)
	row, col := 0, 3
	if s.rows == 4 {
		row = 31
	}
	for block := range blocks {
		for r := range s.rows {
			for piece := 0; piece < s.bytes; piece += 16 {
				var bytes [16]byte // in tensor memory
				at := block*16<<10 + y.at(r, piece/16, 16)
				for i := range bytes {
					bytes[i] = byte(rng.Uint32())
					if packed {
						bytes[i] &= 0x3f
						for bit := range 6 {
							b.shared[at+(6*i+bit)/8] |= bytes[i] >> bit & 1 << ((6*i + bit) % 8)
						}
					} else {
						b.shared[at+i] = bytes[i]
					}
				}
				for i := range s.copies[0][0] {
					for w := range 4 {
						x := uint32(0)
						for j := range 4 {
							x |= uint32(bytes[4*w+j]) << (8 * j)
						}
						want[b.at(block, row+s.lanes.at(r)+s.copies.at(i), col+piece/4+w)] = x
					}
				}
			}
		}
	}
	b.once(fmt.Sprintf("add.u64 %%d6, %%d3, %d; add.u32 %%r21, %%r4, %d;\n%s [%%r21+%d], %%d6;", y.descriptor(0), row<<16, op, col))
	b.races = n%2 == 0
	out, err := b.run()
	if format == "b4x16_p64" {
		if err == nil || !strings.Contains(err.Error(), "4-bit numbers go is not known here") {
			return fmt.Errorf("%s: %v", op, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	for i := range want {
		if out[i] != want[i] {
			return fmt.Errorf("%s from %v: lane %d, column %d is %#x, want %#x", op, y, i%128, i/128, out[i], want[i])
		}
	}
	return nil
}

func TestEveryTensorCopy(t *testing.T) {
	n := 0
	for form := range simt.Forms() {
		if strings.HasPrefix(form.Op, "tcgen05.cp.") {
			must(t, judgeTensorCopy(form.Op, n))
			n++
		}
	}
	if n != 36 {
		t.Errorf("%d forms", n)
	}
}

// TestTensorShift moves rows of a quarter up by one, and then fills the last one, as convolutions do.
func TestTensorShift(t *testing.T) {
	for _, blocks := range []int{1, 2} {
		b := newTensorBench(blocks, 4096, 32)
		rng := rand.New(rand.NewPCG(uint64(blocks), 12))
		for i := range b.tensor {
			b.tensor[i] = rng.Uint32()
		}
		want := append([]uint32(nil), b.tensor...)
		y := sharedLayouts[0]
		for block := range blocks {
			for col := 5; col < 13; col++ {
				for row := 64; row < 95; row++ {
					want[b.at(block, row, col)] = b.tensor[b.at(block, row+1, col)]
				}
				for i := range 4 {
					v := byte(16*i + col + block)
					b.shared[block*4096+y.at(i, (col-5)/4, 16)+(col-5)%4*4] = v
					want[b.at(block, 31+32*i, col)] = uint32(v)
				}
			}
		}
		group := fmt.Sprintf("cta_group::%d", blocks)
		b.once(fmt.Sprintf("add.u32 %%r21, %%r4, %d; add.u32 %%r22, %%r4, %d; add.u64 %%d6, %%d3, %d;\n", 64<<16+5, 31<<16+5, y.descriptor(0)) +
			"tcgen05.shift." + group + ".down [%r21];\ntcgen05.cp." + group + ".4x256b [%r22], %d6;")
		b.races = true
		out, err := b.run()
		must(t, err)
		for i := range want {
			if out[i] != want[i] {
				t.Fatalf("lane %d, column %d is %#x, want %#x", i%128, i/128%32, out[i], want[i])
			}
		}
	}
}
