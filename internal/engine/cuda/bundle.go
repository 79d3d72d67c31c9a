package cuda

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	rdebug "runtime/debug"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// bundled writes the files that reproduce a failed assembly to a folder, if CUTILE_DEBUG=bundle=FOLDER asks for that, and
// notes the folder in the error.
func bundled(job Job, err error) error {
	dir := debug.Value(debug.Bundle)
	var e *AssemblyError
	if dir == "" || !errors.As(err, &e) {
		return err
	}
	told := *e
	name := "kernel"
	if job.Entry != nil {
		name = job.Entry.Name
	}
	sum := sha256.Sum256(append([]byte(job.Target+"\n"), job.Bytecode...))
	dir = filepath.Join(dir, fmt.Sprintf("%s-%s-%x", strings.ReplaceAll(name, string(filepath.Separator), "_"), job.Target, sum[:6]))
	if told.Bundle, told.BundleErr = dir, writeBundle(dir, job, e); told.BundleErr != nil {
		told.Bundle = ""
	}
	return &told
}

// writeBundle writes the module as bytecode and text, the command, the versions, the assembler's words, and the source files
// that are there.
func writeBundle(dir string, job Job, e *AssemblyError) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	versions := fmt.Sprintf("%s %s\ntool %s\nbytecode %s\ntarget %s\ncutile %s\n%s %s/%s\n", e.Tool.Name, e.ToolVersion, e.Tool.Path, job.Version,
		job.Target, moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	quoted := []string{quote(e.Tool.Path), quote("--gpu-name=" + job.Target), "-o kernel.cubin"}
	for _, o := range e.Options {
		quoted = append(quoted, quote(o))
	}
	files := map[string][]byte{
		"kernel.tileirbc": job.Bytecode,
		"repeat.sh":       []byte("#!/bin/sh\ncd \"$(dirname \"$0\")\"\n" + strings.Join(quoted, " ") + " kernel.tileirbc\n"),
		"versions.txt":    []byte(versions),
		"output.txt":      []byte(e.Error() + "\n"),
	}
	if job.Module != nil {
		files["kernel.tileir"] = []byte(text.Sprint(job.Module))
		for _, path := range sourceFiles(job.Module) {
			if text, err := os.ReadFile(path); err == nil { // the program may run elsewhere than it was compiled
				files["source-"+filepath.Base(path)] = text
			}
		}
	}
	var errs []error
	for name, data := range files {
		errs = append(errs, store.WriteFile(filepath.Join(dir, name), data))
	}
	return errors.Join(errs...)
}

// moduleVersion is the version of this module in the program's build information.
func moduleVersion() string {
	info, ok := rdebug.ReadBuildInfo()
	if !ok {
		return "of unknown version"
	}
	const path = "github.com/cutile-go/cutile"
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path {
			return m.Version
		}
	}
	return "of unknown version"
}

// quote writes a word for the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// sourceFiles lists the files of the kernels' positions.
func sourceFiles(m *tileir.Module) []string {
	var out []string
	for _, e := range m.Entries {
		if f := e.Loc.File; filepath.IsAbs(f) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
