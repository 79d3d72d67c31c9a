package safetensors_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/models/internal/piptest"
	"github.com/cutile-go/cutile/models/safetensors"
)

// held is what a file holds, as reference.py prints it.
type held struct {
	Error    string
	Tensors  map[string][3]any // type, shape, data in hexadecimal
	Metadata map[string]string
	LeftOut  []string `json:"left_out"`
}

// reference runs reference.py and gives a value for each line.
func reference(t *testing.T, args ...string) []held {
	t.Helper()
	cmd := exec.Command(piptest.Python(t, "safetensors"), append([]string{filepath.Join("testdata", "reference.py")}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("reference.py: %v\n%s", err, stderr.String())
	}
	var all []held
	for line := range bytes.Lines(out) {
		var h held
		if err := json.Unmarshal(line, &h); err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return all
}

// content is what this package reads, in the form of the reference.
func content(t *testing.T, f *safetensors.File) string {
	t.Helper()
	h := map[string]any{}
	for name, x := range f.All() {
		b, err := x.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		h[name] = []any{x.DType().String(), x.Shape(), hex.EncodeToString(b)}
	}
	return text(t, h, f.Metadata())
}

func text(t *testing.T, tensors any, metadata map[string]string) string {
	t.Helper()
	if metadata == nil {
		metadata = map[string]string{}
	}
	b, err := json.Marshal([]any{tensors, metadata})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// entries are the tensors of a file, to write them again.
func entries(f *safetensors.File) (all []safetensors.Entry) {
	for name, x := range f.All() {
		all = append(all, safetensors.Entry{Name: name, DType: x.DType(), Shape: x.Shape(), Data: x.Reader()})
	}
	return all
}

// TestReferenceWrote reads what pip's package writes, and writes the same bytes.
func TestReferenceWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.safetensors")
	h := reference(t, "write", path)[0]
	if h.Error != "" || len(h.Tensors) < 14*6 {
		t.Fatalf("%d tensors, %s", len(h.Tensors), h.Error)
	}
	t.Logf("%d tensors; the package cannot write %q", len(h.Tensors), h.LeftOut)
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, want := content(t, f), text(t, h.Tensors, h.Metadata); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	all := entries(f)
	slices.Reverse(all)
	var out bytes.Buffer
	if err := safetensors.Write(&out, f.Metadata(), all...); err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), theirs) {
		t.Errorf("wrote\n%q\nwant\n%q", out.Bytes(), theirs)
	}
}

// TestReferenceReads writes every type and lets pip's package read it.
func TestReferenceReads(t *testing.T) {
	var all []safetensors.Entry
	for d := safetensors.Bool; d.Bits() > 0; d++ {
		for i, shape := range [][]int{{}, {0}, {8}, {3, 4}, {2, 0, 7}} {
			n := d.Bits()
			for _, dim := range shape {
				n *= dim
			}
			if n%8 != 0 {
				continue
			}
			data := make([]byte, n/8)
			for k := range data {
				data[k] = byte(k*7+i) & 1
			}
			all = append(all, safetensors.Entry{Name: fmt.Sprint(d, i), DType: d, Shape: shape, Data: bytes.NewReader(data)})
		}
	}
	path := filepath.Join(t.TempDir(), "ours.safetensors")
	if err := safetensors.Save(path, map[string]string{"a": "é", "b": "\x00\"<"}, all...); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Len() != len(all) {
		t.Errorf("%d tensors, want %d", f.Len(), len(all))
	}
	h := reference(t, "read", path)[0]
	if got, want := content(t, f), text(t, h.Tensors, h.Metadata); h.Error != "" || got != want {
		t.Errorf("got %s\nwant %s %s", got, want, h.Error)
	}
}

// TestVerdicts compares what is refused.
func TestVerdicts(t *testing.T) {
	dir, names := t.TempDir(), slices.Sorted(maps.Keys(mutations()))
	args := []string{"read"}
	for i, name := range names {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, mutations()[name].file, 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	verdicts := reference(t, args...)
	if len(verdicts) != len(names) {
		t.Fatalf("%d verdicts for %d files", len(verdicts), len(names))
	}
	for i, h := range verdicts {
		m := mutations()[names[i]]
		f, err := safetensors.Open(args[i+1])
		if err == nil {
			if h.Error == "" {
				if got, want := content(t, f), text(t, h.Tensors, h.Metadata); got != want {
					t.Errorf("%s: got %s, want %s", names[i], got, want)
				}
			}
			f.Close()
		}
		if theirs := h.Error != ""; theirs != (m.refused != "") && !m.stricter || theirs && m.stricter {
			t.Errorf("%s: the reference says %q, the table %q", names[i], h.Error, m.refused)
		}
	}
}
