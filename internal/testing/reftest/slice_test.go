package reftest_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/reftest"
)

// content is what an archive holds, by name.
type content map[string][]byte

// slice is what is committed: of each kernel the file of the newest version and of one older, in turns, with their
// texts; and all cases.
func slice(t *testing.T, kernels map[string][]*reftest.File, cases fs.FS) (ref, refg, all content) {
	t.Helper()
	ref, refg, all = content{}, content{}, content{}
	for i, name := range slices.Sorted(maps.Keys(kernels)) {
		files := kernels[name] // in the order of versions
		newest := len(files) - 1
		picked := files[newest:]
		if newest > 0 {
			picked = append(slices.Clone(picked), files[i%newest])
		}
		for _, f := range picked {
			ref[f.Name()+".tileirbc"], ref[f.Name()+".txt"] = f.Data, []byte(f.Text)
			refg[f.Name()+".g.txt"] = []byte(f.Debug)
		}
	}
	err := fs.WalkDir(cases, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[p], err = fs.ReadFile(cases, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ref, refg, all
}

// archives are the committed files of what slice gives.
func archives() [3]string {
	return [3]string{filepath.Join(texts, "ref.zip"), filepath.Join(texts, "refg.zip"), casesFile}
}

func writeSlice(t *testing.T, kernels map[string][]*reftest.File, cases fs.FS) {
	ref, refg, all := slice(t, kernels, cases)
	for i, c := range []content{ref, refg, all} {
		if err := os.WriteFile(archives()[i], c.zip(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkSlice compares with what is committed. Of arrays only the size is compared: numbers that NumPy computes may differ
// in their last bits from one processor to another.
func checkSlice(t *testing.T, kernels map[string][]*reftest.File, cases fs.FS) {
	ref, refg, all := slice(t, kernels, cases)
	for i, want := range []content{ref, refg, all} {
		z, err := zip.OpenReader(archives()[i])
		if err != nil {
			t.Fatal(err)
		}
		if len(z.File) != len(want) {
			t.Errorf("%s: %d files, expected %d", archives()[i], len(z.File), len(want))
		}
		for _, f := range z.File {
			got, err := fs.ReadFile(z, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			data, ok := want[f.Name]
			same := bytes.Equal(got, data) || path.Ext(f.Name) == ".npy" && len(got) == len(data)
			if !ok || !same {
				t.Errorf("%s: %s has changed; go test -run TestExport -update writes it anew", archives()[i], f.Name)
			}
		}
		z.Close()
	}
}

// zip packs the files, always into the same bytes.
func (c content) zip(t *testing.T) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, name := range slices.Sorted(maps.Keys(c)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(c[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
