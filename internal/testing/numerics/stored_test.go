package numerics_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The results of the reference are stored as digests of all of them, where they are exact, and for functions as
// samples: the nearest bits and, in 16 bits, how far the value is from them.

const storedSamples = 1600

// storedScale makes units in the last place, of which there is at most a half, integers of 16 bits.
const storedScale = 60000

func storedPath() string { return filepath.Join("testdata", "reference.json.gz") }

// sampled lists the elements of a case whose references are stored.
func (c *testCase) sampled() []int {
	n := c.results()
	per := max(1, n/storedSamples)
	r := seeded("sample/" + c.name())
	var at []int
	for i := 0; i+per <= n; i += per {
		at = append(at, i+r.below(per))
	}
	return at
}

// pack makes what is stored of a reference.
func (c *testCase) pack(ref *reference) []byte {
	if c.ulps == nil {
		return c.digest(ref.bits)
	}
	var bits, missing []byte
	size := c.result.Bytes()
	for _, i := range c.sampled() {
		bits = append(bits, ref.bits.data[i*size:][:size]...)
		missing = binary.LittleEndian.AppendUint16(missing, uint16(int16(math.Round(ref.missing[i]*storedScale))))
	}
	return append(bits, missing...)
}

// unpack reads what pack made of a function's reference.
func (c *testCase) unpack(data []byte) *reference {
	ref := &reference{at: c.sampled()}
	n := len(ref.at)
	if len(data) != n*(c.result.Bytes()+2) {
		return nil
	}
	ref.bits = &array{c.result, data[:n*c.result.Bytes()]}
	for i := range ref.at {
		m := int16(binary.LittleEndian.Uint16(data[n*c.result.Bytes()+2*i:]))
		ref.missing = append(ref.missing, float64(m)/storedScale)
	}
	return ref
}

// stillHolds compares what is stored with the reference; the last digits of a function may differ between libraries.
func (c *testCase) stillHolds(data []byte, ref *reference) bool {
	if c.ulps == nil {
		return bytes.Equal(data, c.pack(ref))
	}
	old := c.unpack(data)
	if old == nil {
		return false
	}
	for k, i := range old.at {
		if ulps(c.result, old.bits.at(k), ref.bits.at(i), ref.missing[i]-old.missing[k]) > 0.001 {
			return false
		}
	}
	return true
}

func readStored(t *testing.T) map[string][]byte {
	t.Helper()
	file, err := os.Open(storedPath())
	if err != nil {
		t.Fatalf("%v: run the test with CUTILE_ORACLE_PYTHON and -update", err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func writeStored(t *testing.T, all map[string][]byte) {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(z).Encode(all); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(storedPath(), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
