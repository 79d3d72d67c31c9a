package bundle_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/internal/tools/bundle"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// parse reads a module.
func parse(t *testing.T, src string) *tileir.Module {
	t.Helper()
	m, err := text.Parse(src, text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const small = "entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {\n  return\n}\n"

// asked makes a folder for bundles.
func asked(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "bundles")
	t.Setenv("CUTILE_DEBUG", "bundle="+dir)
	return dir
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestWrite writes a folder, and says what each file is. The same fault has the same folder, another stack or not.
func TestWrite(t *testing.T) {
	t.Setenv("SECRET", "a secret of the environment")
	dir := asked(t)
	m := parse(t, small)
	r := &bundle.Report{Name: "main.k[D4]", Target: "sm_90", Fault: "BUG: it is wrong", Trace: "goroutine 1", Module: m, Versions: []string{"tool 1.2"},
		Repeat: "cutile run kernel.tileir", Files: map[string][]byte{"facts.txt": []byte("facts")}}
	folder, err := r.Write()
	if err != nil || filepath.Dir(folder) != dir || !strings.HasPrefix(filepath.Base(folder), "main_k_D4-sm_90-") {
		t.Fatalf("%s, %v", folder, err)
	}
	code, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"README.txt": "BUG: it is wrong", "output.txt": "BUG: it is wrong\n\ngoroutine 1\n", "kernel.tileir": text.Sprint(m), "kernel.tileirbc": string(code),
		"versions.txt": "tool 1.2\ncutile ", "repeat.sh": "cutile run kernel.tileir\n", "facts.txt": "facts"}
	for _, name := range list(t, folder) {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.Contains(string(data), want[name]) || want[name] == "" || strings.Contains(string(data), "a secret") {
			t.Errorf("%s is %q, %v", name, data, err)
		}
		if readMe, _ := os.ReadFile(filepath.Join(folder, "README.txt")); name != "README.txt" && !strings.Contains(string(readMe), "\n"+name+": ") {
			t.Errorf("README.txt does not name %s", name)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("the folder lacks %v", want)
	}
	r.Trace = "goroutine 2"
	if again, err := r.Write(); again != folder || err != nil {
		t.Errorf("the same fault is in %s, %v", again, err)
	}
	r.Fault = "BUG: another"
	if other, err := r.Write(); other == folder || err != nil || len(list(t, dir)) != 2 {
		t.Errorf("another fault is in %s, %v", other, err)
	}
}

// TestUnasked writes nothing.
func TestUnasked(t *testing.T) {
	t.Setenv("CUTILE_DEBUG", "backtrace")
	if folder, err := (&bundle.Report{Name: "k"}).Write(); folder != "" || err != nil {
		t.Errorf("%q, %v", folder, err)
	}
	bug := &cache.Panic{Value: "no"}
	if err := bundle.Keep(bug, func() *bundle.Report { t.Error("it is asked for a report"); return nil }); err != bug {
		t.Errorf("error %v", err)
	}
}

// TestTogether: of several writers of one fault one is faster, and nothing else stays.
func TestTogether(t *testing.T) {
	dir := asked(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if folder, err := (&bundle.Report{Name: "k", Fault: "BUG", Module: parse(t, small)}).Write(); err != nil || len(list(t, folder)) != 5 {
				t.Errorf("%s, %v", folder, err)
			}
		})
	}
	all.Wait()
	if names := list(t, dir); len(names) != 1 {
		t.Errorf("there are %q", names)
	}
}

// TestNoRoom: where a folder cannot be written, the error says why, and nothing half written stays.
func TestNoRoom(t *testing.T) {
	dir := asked(t)
	for i := range 100 {
		if _, err := (&bundle.Report{Name: fmt.Sprint("k", i)}).Write(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (&bundle.Report{Name: "another"}).Write(); err == nil || err.Error() != dir+" has 100 of them already: remove some" || len(list(t, dir)) != 100 {
		t.Errorf("error %v, %d folders", err, len(list(t, dir)))
	}
	if folder, err := (&bundle.Report{Name: "k7"}).Write(); err != nil || !strings.Contains(folder, "k7-") {
		t.Errorf("the one that is there: %q, %v", folder, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		t.Setenv("CUTILE_DEBUG", "bundle="+dir)
		err := bundle.Keep(&cache.Panic{Value: "no"}, func() *bundle.Report { return &bundle.Report{Name: "k"} })
		if want := "BUG: no; the files to reproduce it could not be written: mkdir "; !strings.HasPrefix(fmt.Sprint(err), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestBroken: a module that no printer takes is left out with the reason, and so is what is too long.
func TestBroken(t *testing.T) {
	asked(t)
	m := parse(t, small)
	m.Entries[0].Body.Ops = append(m.Entries[0].Body.Ops, nil)
	folder, err := (&bundle.Report{Name: "k", Module: m, Files: map[string][]byte{"module.simt": make([]byte, 16<<20+1)}}).Write()
	if err != nil {
		t.Fatal(err)
	}
	readMe, err := os.ReadFile(filepath.Join(folder, "README.txt"))
	for _, want := range []string{"kernel.tileirbc is missing: ", "module.simt is left out: it has 16,777,217 bytes"} {
		if err != nil || !strings.Contains(string(readMe), want) {
			t.Errorf("%v\n%swant %q", err, readMe, want)
		}
	}
	if names := list(t, folder); slices.Contains(names, "module.simt") || !slices.Contains(names, "output.txt") {
		t.Errorf("there are %q", names)
	}
}

// TestKeep: a folder is for faults of ours, and there is one for each.
func TestKeep(t *testing.T) {
	asked(t)
	report := func() *bundle.Report { return &bundle.Report{Name: "k"} }
	for _, err := range []error{nil, errors.New("the user's mistake"), &engine.Fault{Kernel: "k", Text: "assertion failed"}} {
		if got := bundle.Keep(err, report); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	for _, err := range []error{&cache.Panic{Value: "no", Stack: []byte("stack")}, fmt.Errorf("around: %w", &cache.Panic{Value: "no"}),
		&engine.Fault{Kernel: "k", Text: "it panicked", Stack: "stack"}, errors.New("compiling: BUG: no")} {
		got := bundle.Keep(err, report)
		var kept engine.Bundled
		if !errors.As(got, &kept) || kept.Folder() == "" || !errors.Is(got, err) || !strings.HasSuffix(got.Error(), "; the files to reproduce it are in "+kept.Folder()) {
			t.Errorf("%v became %v", err, got)
		}
		if again := bundle.Keep(got, func() *bundle.Report { t.Error("it is kept twice"); return report() }); again != got {
			t.Errorf("%v became %v", got, again)
		}
	}
	err := bundle.Keep(&cache.Panic{Value: "no"}, func() *bundle.Report { panic("nothing is known") })
	if err == nil || !strings.Contains(err.Error(), "could not be written: BUG: collecting them panicked: nothing is known") {
		t.Errorf("error %v", err)
	}
}

// TestCommand: the command of a launch has arguments that the tool binds to the same bits.
func TestCommand(t *testing.T) {
	for _, e := range tileir.Elems() {
		if e == tileir.NoElem || e == tileir.I4 { // no parameter has it
			continue
		}
		for _, number := range []bool{true, false} {
			bits := uint64(1)
			param := tileir.Type(tileir.PointerTile(e))
			if number {
				if param = tileir.Tile(e); e.IsFloat() {
					if e.Bytes() < 2 || e == tileir.TF32 {
						continue // the tool takes no such numbers
					}
					bits = tileir.FloatBits(e, -1.5)
				} else if e != tileir.I1 {
					bits = math.MaxUint64 >> (64 - e.Bits()) // -1
				}
			}
			entry := &tileir.Entry{Name: "k", Params: []*tileir.Value{{Type: param}}, Body: &tileir.Block{}}
			l := bundle.Launch{Grid: [3]uint32{2, 3, 4}, Args: []uint64{bits}, Size: func(uint64) int64 { return 24 }}
			command := l.Command(bundle.OnCPU, entry)
			words := strings.Fields(command)
			if len(words) != 10 || strings.Join(words[:8], " ") != "cutile run -outside -entry 'k' -grid 2,3,4 -arg" || words[9] != "kernel.tileir" {
				t.Fatalf("the command is %s", command)
			}
			run := modrun.Launch{Args: []modrun.Argument{{Flag: "-arg", Text: words[8]}}}
			bound, err := run.Bind(entry)
			if err != nil || number && bound.Bits[0] != bits {
				t.Errorf("%v: %s: %v", param, command, err)
			}
		}
	}
}

// TestSources: the files of the first package have their names alone, those of others their package's, too.
func TestSources(t *testing.T) {
	for _, path := range []string{"example.com/first", "example.com/other"} {
		langsrc.Register(&langsrc.Source{Path: path, FS: []fs.FS{fstest.MapFS{"a.go": {Data: []byte(path)}, "b.txt": {}}}})
	}
	got := bundle.Sources("example.com/first", "example.com/other", "example.com/first", "example.com/none")
	if len(got) != 2 || string(got["source-a.go"]) != "example.com/first" || string(got["source-other-a.go"]) != "example.com/other" {
		t.Errorf("the files are %q", got)
	}
}
