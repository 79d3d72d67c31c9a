package safetensors_test

import (
	"bytes"
	"testing"

	"github.com/cutile-go/cutile/models/safetensors"
)

// FuzzRead reads files, and writes and reads again those that are accepted.
func FuzzRead(f *testing.F) {
	for _, m := range mutations() {
		f.Add(m.file)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := read(b)
		if err != nil {
			return
		}
		total := int64(0)
		for _, x := range in.All() {
			data, err := x.Bytes()
			if err != nil || int64(len(data)) != x.Size() || x.Len()*x.DType().Bits() != 8*len(data) {
				t.Fatalf("%s: %d bytes, %v", x.Name(), len(data), err)
			}
			total += x.Size()
			safetensors.Slice[bool](x)
			safetensors.Slice[float32](x)
		}
		if total > int64(len(b)) {
			t.Fatalf("%d bytes of %d", total, len(b))
		}
		var out bytes.Buffer
		if err := safetensors.Write(&out, in.Metadata(), entries(in)...); err != nil {
			t.Fatal(err)
		}
		again, err := read(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if a, b := content(t, in), content(t, again); a != b {
			t.Errorf("%s became %s", a, b)
		}
	})
}
