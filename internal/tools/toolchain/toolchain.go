// Package toolchain finds and installs NVIDIA's command line tools: tileiras, which assembles Tile IR bytecode to a cubin,
// its disassembler, ptxas, nvdisasm and cuobjdump. None of them needs a GPU or a driver.
//
// [Find] looks where the user says, then in our own folder, then where toolkits usually are. [Install] fills our own
// folder with pip, from the wheels that NVIDIA publishes. [Tool.Info] says what a tool takes.
package toolchain

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// The tools.
const (
	Tileiras     = "tileiras"
	Tileirdisasm = "tileirdisasm"
	Ptxas        = "ptxas"
	Nvdisasm     = "nvdisasm"
	Cuobjdump    = "cuobjdump"
)

// Names lists the tools.
func Names() []string { return []string{Tileiras, Tileirdisasm, Ptxas, Nvdisasm, Cuobjdump} }

// The environment variables. A tool by itself is named by CUTILE_ and its name in capitals, such as CUTILE_TILEIRAS.
const (
	ToolsEnv  = "CUTILE_TOOLS"  // the folder with the tools
	CacheEnv  = "CUTILE_CACHE"  // our folder for what can be made again; the system's cache folder by default
	PythonEnv = "CUTILE_PYTHON" // the Python that installs
)

// ErrNotFound is what [errors.Is] finds where a tool is missing.
var ErrNotFound = errors.New("tool not found")

// Tool is a program that was found.
type Tool struct {
	Name  string
	Path  string
	Where string // what named it, such as "PATH" or "CUTILE_TILEIRAS"
}

// NotFoundError says where a tool was looked for.
type NotFoundError struct {
	Name   string
	Looked []string // the places, in order
	Reason string   // where the user named a place that does not have it; else empty
}

// Error says what to do, too.
func (e *NotFoundError) Error() string {
	if e.Reason != "" {
		return e.Name + ": " + e.Reason
	}
	return fmt.Sprintf("%s not found (looked in %s); run `cutile toolchain install`, install the CUDA Toolkit 13.1 or later, "+
		"or name it with %s", e.Name, strings.Join(e.Looked, ", "), toolEnv(e.Name))
}

// Unwrap is [ErrNotFound].
func (e *NotFoundError) Unwrap() error { return ErrNotFound }

func toolEnv(name string) string { return "CUTILE_" + strings.ToUpper(name) }

// Find looks for a tool: the file or folder that the environment names, what [Install] installed (newest first), the
// PATH, the folders of CUDA toolkits, the active virtual environment. Relative paths among them are not looked at, and what
// another user may have put into our own folder is not taken. What the environment names must be there: an error then, a
// [*NotFoundError], does not go on to other places.
func Find(name string) (Tool, error) {
	if runtime.GOARCH == "wasm" {
		return Tool{}, &NotFoundError{Name: name, Reason: "no program can be started on " + platform}
	}
	if file := os.Getenv(toolEnv(name)); file != "" {
		if !filepath.IsAbs(file) {
			return Tool{}, relative(name, toolEnv(name), file)
		}
		if !isProgram(file) {
			return Tool{}, &NotFoundError{Name: name, Reason: fmt.Sprintf("%s names %s, which is not a program", toolEnv(name), file)}
		}
		return Tool{name, file, toolEnv(name)}, nil
	}
	if dir := os.Getenv(ToolsEnv); dir != "" {
		if !filepath.IsAbs(dir) {
			return Tool{}, relative(name, ToolsEnv, dir)
		}
		path := filepath.Join(dir, name+exeSuffix)
		if !isProgram(path) {
			return Tool{}, &NotFoundError{Name: name, Reason: fmt.Sprintf("%s names %s, which has no %s", ToolsEnv, dir, name)}
		}
		return Tool{name, path, ToolsEnv}, nil
	}
	miss := &NotFoundError{Name: name}
	for _, p := range places {
		for _, path := range p.files(name) {
			if filepath.IsAbs(path) && isProgram(path) {
				return Tool{name, path, p.name()}, nil
			}
		}
		miss.Looked = append(miss.Looked, p.name()+p.trouble())
	}
	return Tool{}, miss
}

func relative(name, env, path string) error {
	return &NotFoundError{Name: name, Reason: fmt.Sprintf("%s names %s, which is relative; give the whole path", env, path)}
}

// place is somewhere tools may be.
type place struct {
	name    func() string
	files   func(tool string) []string
	trouble func() string // why it is not looked at, if it is not
}

func fixed(s string) func() string { return func() string { return s } }

// places are looked through in this order.
var places = []place{
	{installName, installedFiles, installTrouble},
	{fixed("PATH"), func(tool string) []string { return inFolders(filepath.SplitList(os.Getenv("PATH")), tool) }, fixed("")},
	{fixed("CUDA_HOME, CUDA_PATH and /usr/local/cuda*"), toolkitFiles, fixed("")},
	{fixed("the active virtual environment"), venvFiles, fixed("")},
}

func inFolders(dirs []string, tool string) []string {
	var out []string
	for _, d := range dirs {
		if d != "" {
			out = append(out, filepath.Join(d, tool+exeSuffix))
		}
	}
	return out
}

func installedFiles(tool string) []string {
	var out []string
	for _, in := range Installed() {
		if path := in.Tools[tool]; path != "" {
			out = append(out, path)
		}
	}
	return out
}

// toolkitFiles gives the plain folder first, which the administrator points at a version, then newest first.
func toolkitFiles(tool string) []string {
	var dirs []string
	for _, env := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if d := os.Getenv(env); d != "" {
			dirs = append(dirs, filepath.Join(d, "bin"))
		}
	}
	versions, _ := filepath.Glob("/usr/local/cuda-*")
	slices.SortFunc(versions, func(a, b string) int { return -compareVersions(versionIn(a), versionIn(b)) })
	for _, d := range append([]string{"/usr/local/cuda"}, versions...) {
		dirs = append(dirs, filepath.Join(d, "bin"))
	}
	return inFolders(dirs, tool)
}

func versionIn(dir string) string {
	_, v, _ := strings.Cut(filepath.Base(dir), "-")
	return v
}

// venvFiles looks for the wheels of an active environment, which do not put their programs on the PATH.
func venvFiles(tool string) []string {
	var out []string
	for _, env := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		root := os.Getenv(env)
		if root == "" {
			continue
		}
		out = append(out, inFolders([]string{filepath.Join(root, "bin"), filepath.Join(root, "Scripts")}, tool)...)
		for _, site := range []string{"lib/python*/site-packages", "Lib/site-packages"} {
			out = append(out, wheelFiles(filepath.Join(root, filepath.FromSlash(site)), tool)...)
		}
	}
	return out
}

// wheelFiles gives where NVIDIA's wheels put a tool under a site folder, newest CUDA first.
func wheelFiles(site, tool string) []string {
	var out []string
	for _, bin := range []string{"bin", filepath.Join("bin", "x86_64"), filepath.Join("bin", "x64")} {
		found, _ := filepath.Glob(filepath.Join(site, "nvidia", "cu*", bin, tool+exeSuffix))
		out = append(out, found...)
	}
	slices.Reverse(out)
	return out
}

// isProgram reports whether path is a file that may be run.
func isProgram(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && (exeSuffix != "" || st.Mode()&0o111 != 0)
}

// CacheDir is our folder for what can be made again. A relative one is refused: it would be another in each working
// directory, and somebody else's in some.
func CacheDir() (string, error) {
	if d := os.Getenv(CacheEnv); d != "" {
		if !filepath.IsAbs(d) {
			return "", fmt.Errorf("%s names %s, which is relative; give the whole path", CacheEnv, d)
		}
		return filepath.Clean(d), nil
	}
	d, err := os.UserCacheDir()
	if err == nil && !filepath.IsAbs(d) {
		err = fmt.Errorf("%s is relative", d)
	}
	if err != nil {
		return "", fmt.Errorf("no cache folder: %w; set %s to a folder", err, CacheEnv)
	}
	return filepath.Join(d, "cutile"), nil
}

// installDir is where toolchains are installed, one folder a version.
func installDir() (string, error) {
	d, err := CacheDir()
	return filepath.Join(d, "toolchain"), err
}

// installName is that folder for messages.
func installName() string {
	dir, err := installDir()
	if err != nil {
		return "our own folder"
	}
	return dir
}

// installTrouble is why nothing in that folder was found, where that needs a word.
func installTrouble() string {
	if errs := Distrusted(); len(errs) > 0 {
		return " (" + errs[0].Error() + ")"
	}
	return ""
}

// compareVersions compares numbers between dots; a longer version is the greater one.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}
