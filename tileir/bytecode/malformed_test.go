package bytecode_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// smallFiles are reference files of different kinds, the smallest first.
func smallFiles(t testing.TB) []refFile {
	want := []string{"vadd_zero", "ms_print", "me_strided_view", "cf_break_continue", "rd_custom"}
	var out []refFile
	for _, name := range want {
		for _, f := range refFiles(t) {
			if strings.HasPrefix(f.name, name+".") {
				out = append(out, f)
			}
		}
	}
	if len(out) < len(want) {
		t.Fatalf("only %d files", len(out))
	}
	return out
}

// checkError checks that an error of Read has a position in the file.
func checkError(t *testing.T, what string, data []byte, err error) {
	t.Helper()
	var e *bytecode.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: %v is no *bytecode.Error", what, err)
	}
	if e.Offset < 0 || e.Offset > len(data) {
		t.Fatalf("%s: offset %d is outside of %d bytes: %v", what, e.Offset, len(data), err)
	}
	if !strings.HasPrefix(err.Error(), "bytecode: at byte ") {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestTruncated(t *testing.T) {
	testenv.Alone(t)
	for _, f := range smallFiles(t) {
		for n := range f.data {
			_, _, err := bytecode.Read(f.data[:n])
			if err == nil {
				t.Fatalf("%s cut to %d bytes is accepted", f.name, n)
			}
			checkError(t, f.name, f.data[:n], err)
		}
		if _, _, err := bytecode.Read(append(bytes.Clone(f.data), 0)); err == nil || !strings.Contains(err.Error(), "left over after the end mark") {
			t.Errorf("%s with a byte after it: %v", f.name, err)
		}
	}
}

// useFile does to a module what a program does with a file that it read: nothing of it may panic.
func useFile(m *tileir.Module, v tileir.Version) {
	_ = m.Verify(v)
	_ = text.Sprint(m)
	_, _ = bytecode.Write(m, v, bytecode.Options{})
}

// TestFlippedBits flips every bit of two files, and one of each byte of the others.
func TestFlippedBits(t *testing.T) {
	testenv.Alone(t)
	for n, f := range smallFiles(t) {
		for i := range f.data {
			for bit := range 8 {
				if n >= 2 && bit != i%8 {
					continue
				}
				data := bytes.Clone(f.data)
				data[i] ^= 1 << bit
				m, v, err := bytecode.Read(data)
				if err != nil {
					checkError(t, f.name, data, err)
					continue
				}
				useFile(m, v)
			}
		}
	}
}

func TestScrambledBytes(t *testing.T) {
	testenv.Alone(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range smallFiles(t) {
		for range 2000 {
			data := bytes.Clone(f.data)
			for range 1 + r.IntN(8) {
				data[r.IntN(len(data))] = byte(r.Uint32())
			}
			if m, v, err := bytecode.Read(data); err == nil {
				useFile(m, v)
			} else {
				checkError(t, f.name, data, err)
			}
		}
	}
}

// file puts sections together by hand. Each is number, alignment and payload.
func file(version byte, sections ...any) []byte {
	out := append([]byte("\x7fTileIR\x00"), 13, version, 0, 0)
	for i := 0; i < len(sections); i += 3 {
		payload, err := hex.DecodeString(strings.ReplaceAll(sections[i+2].(string), " ", ""))
		if err != nil {
			panic(err)
		}
		align := sections[i+1].(int)
		out = append(out, byte(sections[i].(int))|0x80, byte(len(payload)), byte(align))
		for len(out)%align != 0 {
			out = append(out, 0xcb)
		}
		out = append(out, payload...)
	}
	return append(out, 0)
}

// The parts of a file with one entry k, whose body is return.
const (
	goodFunc  = "01 00 01 02 00 03 5c 00 00"
	goodTypes = "02 cbcbcb 00000000 01000000 00 10 00 00"
	goodText  = "01 cbcbcb 00000000 6b"
)

func TestMalformed(t *testing.T) {
	if _, _, err := bytecode.Read(file(4, 2, 8, goodFunc, 5, 4, goodTypes, 1, 4, goodText)); err != nil {
		t.Fatalf("the file that the others are made from: %v", err)
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "the magic number needs 8 bytes, but only 0 are left"},
		{"magic", append([]byte("\x7fTileIS\x00"), 13, 4, 0, 0, 0), "not Tile IR bytecode"},
		{"version", file(5), "version 13.5 is not one of [13.1 13.2 13.3 13.4]"},
		{"unknown section", file(4, 8, 1, ""), "unknown section 8"},
		{"two sections", file(4, 5, 4, goodTypes, 5, 4, goodTypes), "a second Type section"},
		{"alignment", file(4, 5, 2, goodTypes), "aligned to 2, not to a multiple of 4"},
		{"no strings", file(4, 2, 8, goodFunc, 5, 4, goodTypes), "the String section is missing"},
		{"count of strings", file(4, 2, 8, goodFunc, 5, 4, goodTypes, 1, 4, "ff ff ff ff 0f"), "4294967295 strings do not fit"},
		{"offsets", file(4, 2, 8, goodFunc, 5, 4, goodTypes, 1, 4, "01 cbcbcb 05000000 6b"), "offset 0 of the strings is out of order"},
		{"long number", file(4, 2, 8, goodFunc, 5, 4, goodTypes, 1, 4, "80 80 80 80 80 80 80 80 80 80 01"), "a number takes more than ten bytes"},
		{"type tag", file(4, 2, 8, goodFunc, 5, 4, "01 cbcbcb 00000000 20", 1, 4, goodText), "unknown type tag 32"},
		{"type in itself", file(4, 2, 8, goodFunc, 5, 4, "01 cbcbcb 00000000 0d 00 00", 1, 4, goodText), "a type that contains itself"},
		{"type too new", file(1, 2, 8, goodFunc, 5, 4, "01 cbcbcb 00000000 12", 1, 4, goodText), "type f8E8M0FNU needs version 13.2, but the file has 13.1"},
		{"type left over", file(4, 2, 8, goodFunc, 5, 4, "01 cbcbcb 00000000 00 00", 1, 4, goodText), "1 bytes are left over after the type"},
		{"not a kernel", file(4, 2, 8, "01 00 01 00 00 03 5c 00 00", 5, 4, goodTypes, 1, 4, goodText), "function k is not a kernel"},
		{"not a function type", file(4, 2, 8, "01 00 00 02 00 03 5c 00 00", 5, 4, goodTypes, 1, 4, goodText), "has no type of an entry"},
		{"body without end", file(4, 2, 8, "01 00 01 02 00 00", 5, 4, goodTypes, 1, 4, goodText), "does not end in a terminator"},
		{"operation", file(4, 2, 8, "01 00 01 02 00 03 7b 00 00", 5, 4, goodTypes, 1, 4, goodText), "unknown operation 123"},
		{"operation of no body", file(4, 2, 8, "01 00 01 02 00 03 16 00 00", 5, 4, goodTypes, 1, 4, goodText), "unknown operation 22"},
		{"operation too new", file(1, 2, 8, "01 00 01 02 00 03 6e 00 00", 5, 4, goodTypes, 1, 4, goodText), "operation atan2 needs version 13.2"},
		{"operand", file(4, 2, 8, "01 00 01 02 00 04 5c 00 01 00", 5, 4, goodTypes, 1, 4, goodText), "an operand is value 0, but only 0 are in scope"},
		{"results", file(4, 2, 8, "01 00 01 02 00 02 3c 00", 5, 4, goodTypes, 1, 4, goodText), "join_tokens has 1 results, not 0"},
		{"string", file(4, 2, 8, "01 09 01 02 00 03 5c 00 00", 5, 4, goodTypes, 1, 4, goodText), "the function's name is string 9, but there are 1"},
		{"after functions", file(4, 2, 8, goodFunc+"cb 01", 5, 4, goodTypes, 1, 4, goodText), "something other than padding follows the functions"},
		{"debug row", file(4, 2, 8, "01 00 01 02 02 03 5c 00 00", 3, 8, "01 cbcbcb 00000000 00 cbcbcbcbcbcbcb 00", 5, 4, goodTypes, 1, 4, goodText), "debug row 2, but there are 1"},
		{"short debug row", file(4, 2, 8, "01 00 01 02 01 03 5c 00 00", 3, 8, "01 cbcbcb 00000000 00 cbcbcbcbcbcbcb 00", 5, 4, goodTypes, 1, 4, goodText), "the debug row is shorter than its function"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := bytecode.Read(c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, expected %q", err, c.want)
			}
			checkError(t, c.name, c.data, err)
		})
	}
}

// TestDeepRegions nests regions beyond the reader's limit.
func TestDeepRegions(t *testing.T) {
	m := kernel(func(b *builder) {
		for range 300 {
			r := &builder{block: &tileir.Block{}}
			b.opWith("loop", [][]*tileir.Value{{}}, nil, []*tileir.Block{r.block})
			b.op("return", nil, nil)
			b = r
		}
		b.op("return", nil, nil)
	})
	ops := m.Entries[0].Body.Ops
	m.Entries[0].Body.Ops = ops[:2]
	data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := bytecode.Read(data); err == nil || !strings.Contains(err.Error(), "more than 200 nested regions") {
		t.Fatal(err)
	}
}

// TestMemory checks that a small file which claims to be large costs little.
func TestMemory(t *testing.T) {
	claims := []byte{0x80, 0x80, 0x80, 0x80, 0x08}
	for _, f := range smallFiles(t) {
		for i := 12; i < len(f.data); i += 3 {
			data := append(append(bytes.Clone(f.data[:i]), claims...), f.data[i:]...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, _ = bytecode.Read(data)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
				t.Fatalf("%s with a large number at %d: Read took %d bytes", f.name, i, used)
			}
			if i > 1500 {
				break
			}
		}
	}
}
