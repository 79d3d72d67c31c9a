package bytecode_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// benchFile is a file to measure with.
type benchFile struct {
	name string
	data []byte
}

// benchFiles gives a matrix product of some 60 operations, and 1.5 MB of kernels of all kinds.
func benchFiles(t testing.TB) []benchFile {
	for _, f := range refFiles(t) {
		if f.name == "gemm_f16.13.4" {
			return []benchFile{{"gemm", f.data}, {"large", largeFile(t, 2<<20)}}
		}
	}
	t.Fatal("there is no gemm_f16.13.4")
	return nil
}

// largeFile puts the reference kernels of version 13.4 into one module, over and over, until they have a size by
// themselves.
func largeFile(t testing.TB, size int) []byte {
	t.Helper()
	m := &tileir.Module{}
	for round, total := 0, 0; total < size; round++ {
		for _, f := range refFiles(t) {
			k, v := f.read(t)
			if v != tileir.V13_4 || len(k.Globals) > 0 {
				continue
			}
			for _, e := range k.Entries {
				e.Name = fmt.Sprint(e.Name, "_", round)
				e.Function().Linkage = e.Name
				m.Entries = append(m.Entries, e)
			}
			total += len(f.data)
		}
	}
	data, err := bytecode.Write(m, tileir.V13_4, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (f refFile) read(t testing.TB) (*tileir.Module, tileir.Version) { return readFile(t, f.data) }

func readFile(t testing.TB, data []byte) (*tileir.Module, tileir.Version) {
	t.Helper()
	m, v, err := bytecode.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return m, v
}

// measure runs a benchmark for each file, in bytes of it. prepare gives what is measured. Of the times the least counts
// too: that is the speed where nothing else runs on the machine.
func measure(b *testing.B, prepare func(data []byte) func()) {
	for _, f := range benchFiles(b) {
		b.Run(f.name, func(b *testing.B) {
			run := prepare(f.data)
			b.SetBytes(int64(len(f.data)))
			b.ReportAllocs()
			least := time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				run()
				least = min(least, time.Since(start))
			}
			b.ReportMetric(float64(len(f.data))/least.Seconds()/1e6, "best-MB/s")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	measure(b, func(data []byte) func() {
		return func() { readFile(b, data) }
	})
}

func BenchmarkWrite(b *testing.B) {
	measure(b, func(data []byte) func() {
		m, v := readFile(b, data)
		return func() {
			if _, err := bytecode.Write(m, v, bytecode.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	measure(b, func(data []byte) func() {
		m, v := readFile(b, data)
		return func() {
			if err := m.Verify(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPrint(b *testing.B) {
	measure(b, func(data []byte) func() {
		m, _ := readFile(b, data)
		return func() { _ = irtext.Sprint(m) }
	})
}

func BenchmarkParse(b *testing.B) {
	measure(b, func(data []byte) func() {
		m, _ := readFile(b, data)
		text := irtext.Sprint(m)
		return func() {
			if _, err := irtext.Parse(text, irtext.ParseOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestAllocations: reading and writing take a few allocations for each section of a file, however many operations it
// has; what is left grows with the number of distinct attributes.
func TestAllocations(t *testing.T) {
	testenv.Alone(t)
	for _, f := range benchFiles(t) {
		parts, err := bytecode.Sections(f.data)
		if err != nil {
			t.Fatal(err)
		}
		sections := len(parts) - 2 // without header and end mark
		m, v := readFile(t, f.data)
		ops := 0
		for range m.All() {
			ops++
		}
		read := leastAllocs(func() { readFile(t, f.data) })
		written := leastAllocs(func() {
			if _, err := bytecode.Write(m, v, bytecode.Options{}); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%s: %d sections, %d operations: %.0f allocations to read, %.0f to write", f.name, sections, ops, read, written)
		if limit := float64(10*sections) + float64(ops)/400; read > limit {
			t.Errorf("%s: Read takes %.0f allocations, more than %.0f", f.name, read, limit)
		}
		if limit := float64(6 * sections); written > limit {
			t.Errorf("%s: Write takes %.0f allocations, more than %.0f", f.name, written, limit)
		}
	}
}

// leastAllocs gives the allocations of f where the pools of tables are full: the collector may empty them at any time,
// and the race detector drops a part on purpose.
func leastAllocs(f func()) float64 {
	least := math.Inf(1)
	for range 20 {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}
