package numerics_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// job is a case as the reference reads it.
type job struct {
	Name   string           `json:"name"`
	Op     string           `json:"op"`
	Attrs  map[string]int64 `json:"attrs"`
	Types  []string         `json:"types"`
	Result string           `json:"result"`
	Args   []int            `json:"args"`
	Shape  []int            `json:"shape"`
	Near   bool             `json:"near"`
	Turned bool             `json:"turned"`
	Body   *job             `json:"body"`
}

func (c *testCase) job(arg func(a *array) int) *job {
	j := &job{Name: c.name(), Op: c.in.Mnemonic, Attrs: map[string]int64{}, Result: c.result.Name(), Shape: c.shape,
		Near: c.ulps != nil, Turned: c.turned, Args: []int{}}
	for _, e := range c.types {
		j.Types = append(j.Types, e.Name())
	}
	for _, a := range c.args {
		j.Args = append(j.Args, arg(a))
	}
	for i, a := range c.in.Attrs {
		switch v := c.attrs[i].(type) {
		case tileir.Int:
			j.Attrs[a.Name] = int64(v)
		case tileir.Bool:
			j.Attrs[a.Name] = 0
			if v {
				j.Attrs[a.Name] = 1
			}
		}
	}
	if c.body != nil {
		j.Body = c.body.job(arg)
	}
	return j
}

// askPython lets the reference compute all cases, in one process.
func askPython(t *testing.T, python string, all []*testCase) map[*testCase]*reference {
	t.Helper()
	type location struct {
		Elem  string `json:"elem"`
		At    int    `json:"at"`
		Bytes int    `json:"bytes"`
	}
	var input []byte
	doc := struct {
		Arrays []location `json:"arrays"`
		Jobs   []*job     `json:"jobs"`
	}{}
	known := map[*array]int{}
	for _, c := range all {
		doc.Jobs = append(doc.Jobs, c.job(func(a *array) int {
			if _, ok := known[a]; !ok {
				known[a] = len(doc.Arrays)
				doc.Arrays = append(doc.Arrays, location{a.elem.Name(), len(input), len(a.data)})
				input = append(input, a.data...)
				input = append(input, make([]byte, -len(input)&7)...)
			}
			return known[a]
		}))
	}
	jobs, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "jobs.json"), filepath.Join(dir, "inputs.bin"), filepath.Join(dir, "results.bin")}
	for i, data := range [][]byte{jobs, input} {
		if err := os.WriteFile(paths[i], data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, append([]string{"-B", filepath.Join("reference", "numpy_ref.py")}, paths...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.Bytes())
	}
	out, err := os.ReadFile(paths[2])
	if err != nil {
		t.Fatal(err)
	}
	results := map[*testCase]*reference{}
	for _, c := range all {
		n := c.results() * c.result.Bytes()
		ref := &reference{bits: &array{c.result, out[:n]}}
		out = out[n:]
		if c.ulps != nil {
			ref.missing = make([]float64, c.results())
			for i := range ref.missing {
				ref.missing[i] = math.Float64frombits(binary.LittleEndian.Uint64(out[8*i:]))
			}
			out = out[8*c.results():]
		}
		results[c] = ref
	}
	if len(out) != 0 {
		t.Fatalf("the reference gave %d bytes too many", len(out))
	}
	return results
}
