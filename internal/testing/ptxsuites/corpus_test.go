package main

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// corpus is the project's own texts of PTX, each of which is about one construct.
const corpus = "../../simt/ptx/testdata"

// field gives what a comment at the beginning of a text says after a word.
func field(text, word string) string {
	_, rest, _ := strings.Cut(text, "// "+word+": ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// words reads a type and numbers of 32 bits.
func words(t *testing.T, line string) (b []byte) {
	t.Helper()
	for _, w := range strings.Fields(line)[1:] {
		n, err := strconv.ParseInt(w, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// TestCorpus runs each good text with the input that it states, which must give its output.
func TestCorpus(t *testing.T) {
	files, _ := filepath.Glob(corpus + "/good/*.ptx")
	if len(files) < 15 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			block := [3]int{1, 1, 1}
			if n := field(string(text), "threads"); n != "" {
				block[0], _ = strconv.Atoi(n)
			}
			m, err := read(file, block)
			if err != nil {
				t.Fatal(err)
			}
			k := m.Kernel("k")
			k.Block = block
			p, err := emu.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			const in, out = 0x1000_0000, 0x2000_0000
			want := words(t, field(string(text), "out"))
			got := make([]byte, len(want))
			memory := &emu.Memory{}
			memory.Map(in, words(t, field(string(text), "in")), "in", true)
			memory.Map(out, got, "out", false)
			err = p.Run(context.Background(), emu.Launch{
				Kernel: "k", Grid: [3]int{1, 1, 1}, Shared: k.Shared + 64, Args: []uint64{in, out}, Memory: memory,
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(want); i += 4 {
				if g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:]); g != w {
					t.Errorf("output %d is %d, expected %d", i/4, int32(g), int32(w))
				}
			}
		})
	}
}

// TestCorpusMistakes reads each bad text, which must be refused at the place and for the reason that it states.
func TestCorpusMistakes(t *testing.T) {
	files, _ := filepath.Glob(corpus + "/bad/*.ptx")
	if len(files) < 12 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := "PTX:" + field(string(text), "error")
		if _, err := ptx.Read(text); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, expected %s", filepath.Base(file), err, want)
		}
	}
}

// TestRustValues reads arrays as ZLUDA's tests write them.
func TestRustValues(t *testing.T) {
	for _, c := range []struct {
		text string
		want []uint64
		bits int
	}{
		{"1u64, 0xFF_u64", []uint64{1, 255}, 64},
		{"-2i32, i32::MIN", []uint64{^uint64(1), 0xFFFFFFFF80000000}, 32},
		{"u64::max_value()", []uint64{^uint64(0)}, 64},
		{"0.5f32, f32::from_bits(0x33800000)", []uint64{0x3f000000, 0x33800000}, 32},
		{"half::f16::from_f64(123.0), half::f16::NAN", []uint64{0x57b0, 0x7e00}, 16},
		{"0u16, half::f16::NAN.to_bits()", []uint64{0, 0x7e00}, 16},
		{"0xDEAD", []uint64{0xDEAD}, 32},
	} {
		v, err := rustArrayOf(c.text)
		if err != nil || v.bits != c.bits || len(v.all) != len(c.want) {
			t.Errorf("[%s] is %+v, %v", c.text, v, err)
			continue
		}
		for i, x := range v.all {
			if x != c.want[i] {
				t.Errorf("[%s]: element %d is %#x, expected %#x", c.text, i, x, c.want[i])
			}
		}
	}
}
