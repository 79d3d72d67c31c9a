package bytecode_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// jsonModule describes a whole module, with places and hints, to testdata/write.py.
func jsonModule(m *Module, v Version) jsonOf {
	entries := []jsonOf{}
	for _, e := range m.Entries {
		n := &numbering{ids: map[*Value]int{}}
		n.define(e.Params)
		hints := []any{}
		if e.Hints != nil {
			hints = jsonAttr(nil, e.Hints)["value"].([]any)
		}
		entries = append(entries, jsonOf{"name": e.Name, "params": jsonTypes(e.Params), "place": jsonPlace(&e.Loc),
			"hints": hints, "ops": n.ops(e.Body.Ops, v)})
	}
	return jsonOf{"version": v.String(), "entries": entries}
}

// writtenByPython is a file that cuTile Python's writer made, and how long that took.
type writtenByPython struct {
	File    string
	Seconds float64
}

func pythonWrites(t testing.TB, python string, module jsonOf) writtenByPython {
	t.Helper()
	stdin, err := json.Marshal([]jsonOf{module})
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(python, filepath.Join("..", "testdata", "write.py"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var out []writtenByPython
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil || len(out) != 1 {
		t.Fatalf("%d answers: %v", len(out), err)
	}
	return out[0]
}

// TestWriterBesidePython writes the modules of the benchmarks with cuTile Python's own writer: the bytes are the same.
func TestWriterBesidePython(t *testing.T) {
	python := testenv.Oracle(t)
	if testing.Short() {
		t.Skip("1.5 MB through Python")
	}
	for _, f := range benchFiles(t) {
		data, err := hex.DecodeString(pythonWrites(t, python, jsonModule(readFile(t, f.data))).File)
		if err != nil || len(data) < 1000 {
			t.Fatalf("%v, %d bytes", err, len(data))
		}
		if !bytes.Equal(data, f.data) {
			t.Errorf("%s: cuTile Python's writer gives %d other bytes than the %d of ours", f.name, len(data), len(f.data))
		}
	}
}

// BenchmarkWriteBesidePython reports how many times as fast as cuTile Python's writer Write is on the same module, in
// one run: the least time of each counts, and of Python only the calls of its tables and encoders are timed.
func BenchmarkWriteBesidePython(b *testing.B) {
	python := testenv.Oracle(b)
	for _, f := range benchFiles(b) {
		b.Run(f.name, func(b *testing.B) {
			m, v := readFile(b, f.data)
			theirs := pythonWrites(b, python, jsonModule(m, v)).Seconds
			ours := math.Inf(1)
			for b.Loop() {
				start := time.Now()
				if _, err := bytecode.Write(m, v, bytecode.Options{}); err != nil {
					b.Fatal(err)
				}
				ours = min(ours, time.Since(start).Seconds())
			}
			megabytes := float64(len(f.data)) / 1e6
			b.ReportMetric(theirs/ours, "x-python")
			b.ReportMetric(megabytes/theirs, "python-MB/s")
			b.ReportMetric(megabytes/ours, "best-MB/s")
		})
	}
}
