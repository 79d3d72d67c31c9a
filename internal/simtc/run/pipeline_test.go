package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// TestParsePipeline: lists of stages that can and cannot be.
func TestParsePipeline(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "verify,ptx": "", "verify,optimise,ptx,read,assemble": "", "ptx,read": "", "assemble,ptx": "stage assemble needs ptx before it", "verify,read": "stage read needs ptx before it",
		"read,ptx": "stage read needs ptx before it", "verify,none": `there is no stage "none": the stages are verify, optimise, ptx, read, assemble`, "verify,": `there is no stage ""`, "ptx, read": `there is no stage " read"`,
	} {
		p, err := ParsePipeline(text)
		if (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) || err == nil && p.String() != text {
			t.Errorf("%q: %v, %v, want %q", text, p, err, want)
		}
	}
}

// TestDefaultPipeline: what a module goes through unless somebody says otherwise.
func TestDefaultPipeline(t *testing.T) {
	for _, c := range []struct {
		target string
		o      Options
		want   string
	}{
		{"cpu", Options{}, "verify,optimise,verify"}, {"cpu", Options{Opt: O0}, "verify"}, {"cpu", Options{Opt: O1}, "verify,optimise,verify"}, {"sm_90", Options{}, "verify,optimise,verify,ptx"},
		{"cpu", Options{KeepPTX: true}, "verify,optimise,verify,ptx"}, {"cpu", Options{KeepCubin: true, Opt: O0}, "verify,ptx,assemble"}, {"sm_90", Options{KeepCubin: true}, "verify,optimise,verify,ptx,assemble"},
	} {
		if got := defaultPipeline(target{name: c.target, modules: c.target == "cpu"}, &c.o).String(); got != c.want {
			t.Errorf("%s with %v: %s, want %s", c.target, c.o, got, c.want)
		}
	}
}

// TestDump: the files of a program, and a folder that cannot be made or written to.
func TestDump(t *testing.T) {
	p := &program{module: &simt.Module{Host: &simt.Func{Name: "f"}}, text: "text", ptx: []byte("ptx")}
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := p.dump(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"f.simt": "text", "f.ptx": "ptx", "f.cubin": ""} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := p.dump(""); err != nil {
		t.Error(err)
	}
	if err := p.dump(filepath.Join(dir, "f.ptx")); err == nil {
		t.Error("a file is no folder")
	}
	if err := os.Mkdir(filepath.Join(dir, "g.simt"), 0o777); err != nil {
		t.Fatal(err)
	}
	p.module.Host.Name = "g"
	if err := p.dump(dir); err == nil {
		t.Error("a folder is no file")
	}
}
