package reftest

import (
	"archive/zip"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// File is a kernel that cuTile Python exported in one version, with what NVIDIA's tileirdisasm prints for it.
type File struct {
	Kernel string
	In     tileir.Version
	Data   []byte
	Text   string
	Debug  string // with -g
}

// Name is that of the file without its ending, such as "vadd.13.4".
func (f *File) Name() string { return f.Kernel + "." + f.In.String() }

// The endings of files in the archives and in what export.py writes.
const (
	bytecodeExt = ".tileirbc"
	textExt     = ".txt"
	debugExt    = ".g.txt"
)

// Committed reads the slice of the files that is committed; dir is the folder tileir/testdata.
func Committed(t testing.TB, dir string) []*File {
	t.Helper()
	files := ReadFiles(t, openZip(t, dir+"/ref.zip"))
	debug := openZip(t, dir+"/refg.zip")
	for _, f := range files {
		f.Debug = string(readFile(t, debug, f.Name()+debugExt))
	}
	if len(files) < 200 {
		t.Fatalf("only %d reference files", len(files))
	}
	return files
}

// ReadFiles reads all files of a folder, with the texts without -g.
func ReadFiles(t testing.TB, dir fs.FS) []*File {
	t.Helper()
	names, err := fs.Glob(dir, "*"+bytecodeExt)
	if err != nil {
		t.Fatal(err)
	}
	var out []*File
	for _, name := range names {
		base := strings.TrimSuffix(name, bytecodeExt)
		kernel, version, _ := strings.Cut(base, ".")
		out = append(out, &File{Kernel: kernel, In: versionOf(t, version), Data: readFile(t, dir, name), Text: string(readFile(t, dir, base+textExt))})
	}
	return out
}

// versionOf reads a version such as "13.4".
func versionOf(t testing.TB, text string) tileir.Version {
	t.Helper()
	versions := tileir.Versions()
	i := slices.IndexFunc(versions, func(v tileir.Version) bool { return v.String() == text })
	if i < 0 {
		t.Fatalf("version %q is none of %v", text, versions)
	}
	return versions[i]
}

func openZip(t testing.TB, path string) fs.FS {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	return z
}

func readFile(t testing.TB, dir fs.FS, name string) []byte {
	t.Helper()
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
