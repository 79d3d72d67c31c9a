// Package bundle keeps what is needed to report and to repeat a fault of ours or of an assembler: a folder with the kernel's source,
// what its launch found out about the arguments, Tile IR as text and bytecode, versions, the stack or the tool's output, and a command
// that repeats the fault.
//
// Folders are written only where CUTILE_DEBUG=bundle=FOLDER asks for them. A folder is there as a whole or not at all, its name is a hash
// of what is in it, and one that another process has written stays. Nothing in it comes from the memory of tensors or, apart from the
// variables of this module that decide about code, from the environment.
package bundle

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	rdebug "runtime/debug"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// Report is what is known of a fault.
type Report struct {
	Name     string // of the kernel
	Target   string // what code was made for or ran on, such as sm_90; "" if it did not come so far
	Fault    string // what went wrong, as users read it
	Trace    string // the stack, or all that a tool printed
	Module   *tileir.Module
	SIMT     *simt.Module      // of the SIMT level, in place of Module
	PTX      []byte            // of SIMT; nil for what the writer makes of it
	Bytecode []byte            // of Module where it is of another version than the newest; nil for that one
	Versions []string          // lines, beside those that each folder has
	Repeat   string            // shell commands, which run in the folder; "" if there are none
	Reduce   string            // the command that makes the module smaller as long as the fault stays; "" if there is none
	Files    map[string][]byte // others, by name
}

// The limits: a folder that has more folders gets no others, and a file that is longer is left out.
const (
	maxFolders = 100
	maxFile    = 16 << 20 // bytes
)

// The names of files that each folder has, if what they hold is known.
const (
	readMe   = "README.txt"
	textFile = "kernel.tileir"
	codeFile = "kernel.tileirbc"
	repeat   = "repeat.sh"
)

// Asked reports whether bundles are to be written.
func Asked() bool { return debug.Value(debug.Bundle) != "" }

// Write writes the folder and gives its path; "" where nobody asks for it. It does not panic, whatever the module is.
func (r *Report) Write() (folder string, err error) {
	dir := debug.Value(debug.Bundle)
	if dir == "" {
		return "", nil
	}
	defer func() {
		if p := recover(); p != nil {
			folder, err = "", fmt.Errorf("BUG: writing it panicked: %v", p)
		}
	}()
	files := r.files()
	path := filepath.Join(dir, r.name(files))
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return path, nil // of the same fault before
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := room(dir); err != nil {
		return "", err
	}
	return path, writeFolder(path, files)
}

// room refuses a folder that is full.
func room(dir string) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) >= maxFolders {
		err = fmt.Errorf("%s has %d of them already: remove some", dir, len(entries))
	}
	return err
}

// writeFolder writes a folder as a whole.
func writeFolder(path string, files map[string][]byte) (err error) {
	temp, err := os.MkdirTemp(filepath.Dir(path), ".bundle-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := store.WriteFile(filepath.Join(temp, name), files[name]); err != nil {
			return err
		}
	}
	err = os.Rename(temp, path)
	if st, failed := os.Stat(path); err != nil && failed == nil && st.IsDir() { // another process was faster
		return os.RemoveAll(temp)
	}
	return err
}

// AddAll adds files to a folder that was written. Long ones are left out.
func AddAll(folder string, files map[string][]byte) error {
	path := filepath.Join(folder, readMe)
	text, err := os.ReadFile(path)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if len(files[name]) > maxFile || err != nil {
			continue
		}
		if line := meaning(name); !strings.Contains(string(text), line) {
			text = append(text, line...)
		}
		err = store.WriteFile(filepath.Join(folder, name), files[name])
	}
	if err == nil {
		err = store.WriteFile(path, text)
	}
	if err != nil {
		err = fmt.Errorf("the files to reproduce it are not complete: %w", err)
	}
	return err
}

// name is that of the folder: the kernel, the target, and a hash of the files.
func (r *Report) name(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != "output.txt" || r.Trace == "" { // a stack has addresses, and numbers of goroutines
			fmt.Fprintf(h, "%s %d\n%s", name, len(files[name]), files[name])
		}
	}
	words := cmp.Or(names.Entry(r.Name), "kernel")
	if r.Target != "" {
		words += "-" + names.Entry(r.Target)
	}
	return fmt.Sprintf("%s-%x", words[:min(len(words), 150)], h.Sum(nil)[:6])
}

// files makes the files of the folder.
func (r *Report) files() map[string][]byte {
	files := map[string][]byte{
		"versions.txt": []byte(r.versions()),
		"output.txt":   []byte(strings.TrimSpace(r.Fault+"\n\n"+r.Trace) + "\n"),
	}
	maps.Copy(files, r.Files)
	if r.Repeat != "" {
		files[repeat] = []byte("#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit\n" + strings.TrimSpace(r.Repeat) + "\n")
	}
	var left []string
	add := func(name string, make func() ([]byte, error)) {
		data, err := attempt(make)
		if err != nil {
			left = append(left, fmt.Sprintf("%s is missing: %v", name, err))
		} else if data != nil {
			files[name] = data
		}
	}
	if r.Module != nil {
		add(textFile, func() ([]byte, error) { return []byte(text.Sprint(r.Module)), nil })
		add(codeFile, func() ([]byte, error) {
			if r.Bytecode != nil {
				return r.Bytecode, nil
			}
			return bytecode.Write(r.Module, tileir.Newest, bytecode.Options{})
		})
		for _, path := range sourceFiles(r.Module) {
			if text, err := os.ReadFile(path); err == nil { // the program may run elsewhere than it was compiled
				files["source-"+filepath.Base(path)] = text
			}
		}
	}
	if r.SIMT != nil {
		add(simtFile, func() ([]byte, error) { return []byte(r.SIMT.String()), nil })
		add(ptxFile, func() ([]byte, error) {
			if r.PTX != nil {
				return r.PTX, nil
			}
			return ptxOf(r.SIMT, r.Target)
		})
		if files[ptxFile] == nil { // which the command would read
			delete(files, repeat)
		}
	}
	for name, data := range files {
		if len(data) > maxFile {
			left = append(left, fmt.Sprintf("%s is left out: it has %s bytes", name, names.Digits(int64(len(data)))))
			delete(files, name)
		}
	}
	slices.Sort(left)
	files[readMe] = []byte(r.readMe(files, left))
	return files
}

// attempt makes a file. What is broken, as a module of which the compiler made a part, may make a printer panic.
func attempt(make func() ([]byte, error)) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			data, err = nil, fmt.Errorf("%v", p)
		}
	}()
	return make()
}

// meanings say what the files are.
var meanings = [][2]string{
	{"output.txt", "the error, with the stack or all that the tool printed"}, {"versions.txt", "versions of all that took part"},
	{textFile, "the Tile IR, as far as it came"}, {codeFile, "the same as bytecode"}, {"facts.txt", "what the launch found out about its arguments"},
	{simtFile, "the kernel as threads"}, {ptxFile, "the same as PTX"}, {"argument-", "parameters that are arrays of bytes"}, {"module.image", "what the device was to load"}, {repeat, "repeats the fault; it needs the command cutile in the PATH, or the tool that it names"},
	{"source-", "files of the kernel's source"},
}

// meaning is the line about a file.
func meaning(name string) string {
	for _, m := range meanings {
		if name == m[0] || strings.HasSuffix(m[0], "-") && strings.HasPrefix(name, m[0]) {
			return name + ": " + m[1] + "\n"
		}
	}
	return ""
}

// readMe explains the folder.
func (r *Report) readMe(files map[string][]byte, left []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Kernel %s:\n%s\n\nThese files are for a report of this fault. They hold the kernel's source and code, and neither elements of tensors nor the\n"+
		"environment of the program.\n\n", cmp.Or(r.Name, "?"), names.Output(r.Fault))
	if _, ok := files[codeFile]; ok && r.Reduce != "" {
		fmt.Fprintf(&b, "This makes the module smaller as long as the fault stays:\n\n\t%s\n\n", r.Reduce)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		b.WriteString(meaning(name))
	}
	for _, l := range left {
		fmt.Fprintln(&b, l)
	}
	return b.String()
}

// settings are the variables that decide about code.
var settings = []string{"CUTILE_ASSEMBLER", "CUTILE_CPU", "CUTILE_CPU_REORDER", "CUTILE_CHECKS", "CUTILE_OVERRIDE", "CUTILE_LIMITS"}

// versions are lines with what took part.
func (r *Report) versions() string {
	var levels []string
	for _, l := range host.Levels() {
		levels = append(levels, l.String())
	}
	lines := append(slices.Clone(r.Versions), "cutile "+moduleVersion(), runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH, "levels of the CPU "+strings.Join(levels, ", "))
	for _, name := range settings {
		if v := os.Getenv(name); v != "" {
			lines = append(lines, name+"="+v)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// moduleVersion is the version of this module in the program's build information.
func moduleVersion() string {
	const unknown, path = "of unknown version", "github.com/cutile-go/cutile"
	info, ok := rdebug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return cmp.Or(m.Version, unknown)
		}
	}
	version := unknown
	if info.Main.Path == path {
		version = cmp.Or(info.Main.Version, unknown)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
				version += " " + s.Key + "=" + s.Value
			}
		}
	}
	return version
}

// sourceFiles lists the files of the positions of a module's entries.
func sourceFiles(m *tileir.Module) (out []string) {
	for _, e := range m.Entries {
		if f := e.Loc.File; filepath.IsAbs(f) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
