package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// minPython is the oldest Python whose pip reads today's wheels.
const minPython = 308 // 3.8

// python is an interpreter whose pip works. It runs in a folder of ours, as Python imports modules from the working
// directory.
type python struct{ path, dir string }

func (p python) String() string { return p.path }

// findPython gives an interpreter that has pip, if need be that of a virtual environment made in temp.
func findPython(ctx context.Context, named, temp string) (python, error) {
	path, err := lookPython(named)
	if err != nil {
		return python{}, err
	}
	const ask = "import sys; print(sys.version_info[0] * 100 + sys.version_info[1])"
	out, errs, err := Command{Path: path, Args: []string{"-c", ask}, Dir: temp}.Run(ctx)
	version, convErr := strconv.Atoi(strings.TrimSpace(string(out)))
	if ctx.Err() != nil {
		return python{}, context.Cause(ctx)
	}
	if err != nil || convErr != nil {
		return python{}, &InstallError{Step: "python", Reason: path + " does not run", Output: tail(errs), Err: err,
			Advice: "install Python 3.8 or later, or name another with " + PythonEnv}
	}
	if version < minPython {
		return python{}, &InstallError{Step: "python", Reason: fmt.Sprintf("%s is Python %d.%d", path, version/100, version%100),
			Advice: "Python 3.8 or later is needed; name one with " + PythonEnv}
	}
	if py := (python{path, temp}); py.hasPip(ctx) {
		return py, nil
	}
	venv := filepath.Join(temp, "venv")
	_, errs, err = Command{Path: path, Args: []string{"-m", "venv", venv}, Dir: temp}.Run(ctx)
	for _, p := range []string{"bin/python", "Scripts/python.exe"} {
		inner := python{filepath.Join(venv, filepath.FromSlash(p)), temp}
		if err == nil && isProgram(inner.path) && inner.hasPip(ctx) {
			return inner, nil
		}
	}
	if ctx.Err() != nil {
		return python{}, context.Cause(ctx)
	}
	return python{}, &InstallError{Step: "pip", Reason: path + " has no pip and cannot make a virtual environment", Output: tail(errs), Err: err,
		Advice: "install pip (python3-pip) or venv (python3-venv) with the system's package manager"}
}

func lookPython(named string) (string, error) {
	if named == "" {
		named = os.Getenv(PythonEnv)
	}
	names := []string{named}
	if named == "" {
		names = []string{"python3", "python"}
	}
	for _, n := range names {
		if filepath.Base(n) != n { // the user says where
			if path, err := filepath.Abs(n); err == nil && isProgram(path) {
				return path, nil
			}
			continue
		}
		for _, path := range inFolders(filepath.SplitList(os.Getenv("PATH")), strings.TrimSuffix(n, exeSuffix)) {
			if filepath.IsAbs(path) && isProgram(path) {
				return path, nil
			}
		}
	}
	return "", &InstallError{Step: "python", Reason: "no " + strings.Join(names, " or ") + " found",
		Advice: "install Python 3.8 or later, or name one with " + PythonEnv}
}

func (p python) hasPip(ctx context.Context) bool {
	_, _, err := Command{Path: p.path, Args: []string{"-m", "pip", "--version"}, Dir: p.dir}.Run(ctx)
	return err == nil
}

// pipInstall puts the wheels under site: the files whose sums we know, and nothing else. Of the settings of pip's user
// those hold that say where files come from.
func pipInstall(ctx context.Context, py python, rel release, site, temp string, progress io.Writer) error {
	set, err := readPipSettings(ctx, py)
	if err != nil {
		return err
	}
	wanted := filepath.Join(temp, "requirements.txt")
	if err := os.WriteFile(wanted, []byte(set.requirements()+rel.requirements()), 0o600); err != nil {
		return fail("requirements", err, "")
	}
	args := []string{"-m", "pip", "install", "--isolated", "--require-hashes", "--target", site, "--no-deps", "--only-binary=:all:",
		"--no-compile", "--no-input", "--disable-pip-version-check", "--no-warn-script-location"}
	args = append(append(args, set.options()...), "-r", wanted)
	// pip unpacks beside the target, not on a small /tmp. With the empty configuration --isolated holds for the system's, too.
	env := append(os.Environ(), "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp, "PIP_CONFIG_FILE="+os.DevNull)
	env = append(env, set.environment()...)
	fmt.Fprintf(progress, "pip install %s\n", strings.Join(rel.pins(), " "))
	out, errs, err := Command{Path: py.path, Args: args, Dir: temp, Env: env, Tee: progress, Limit: maxOutput}.Run(ctx)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	e := &InstallError{Step: "pip install", Reason: "pip failed: " + err.Error(), Err: err,
		Output: tail(errs), Advice: "its output follows; running the same command yourself may show more"}
	said := strings.ToLower(string(out) + string(errs))
	for _, c := range pipCauses {
		if c.in(said) {
			e.Reason, e.Advice = c.reason, c.advice
			break
		}
	}
	return e
}

// cause is why pip fails, known by its words. Network first: after it pip also says that nothing matches.
type cause struct {
	words          []string
	reason, advice string
}

func (c cause) in(said string) bool {
	for _, w := range c.words {
		if strings.Contains(said, w) {
			return true
		}
	}
	return false
}

const diskAdvice = "about 1 GiB is needed; free some, or set " + CacheEnv + " to a folder on a larger disk"

var pipCauses = []cause{
	{[]string{"do not match the hashes"}, "the package index gave other files than NVIDIA published",
		"a mirror may have repacked them, or somebody has changed them: name another index in pip's settings (index-url), and tell whoever runs this one"},
	{[]string{"no space left on device", "errno 28", "disk quota exceeded", "not enough space on the disk"}, "the disk is full", diskAdvice},
	{[]string{"name resolution", "newconnectionerror", "connection refused", "network is unreachable", "getaddrinfo", "proxyerror",
		"connecttimeout", "readtimeout", "timed out", "connection aborted", "connection reset", "max retries exceeded"},
		"no network", "pip cannot reach its package index: check the connection, the proxy (HTTPS_PROXY) and pip's settings (pip config list)"},
	{[]string{"certificate verify failed", "sslerror"}, "the package index's certificate is not trusted", "give pip your certificate authority (pip's setting cert, or PIP_CERT)"},
	{[]string{"no matching distribution", "could not find a version"}, "the package index has no such wheel for this system",
		"a mirror may not carry it; on Linux glibc 2.28 or later and a pip of 20.3 or later are needed (musl has no wheels)"},
	{[]string{"permission denied", "errno 13"}, "no permission to write", "set " + CacheEnv + " to a folder of yours"},
}

// fail makes an InstallError of an error of the file system.
func fail(step string, err error, output string) error {
	e := &InstallError{Step: step, Reason: err.Error(), Err: err, Output: output}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		e.Advice = diskAdvice
	case errors.Is(err, os.ErrPermission):
		e.Advice = "set " + CacheEnv + " to a folder of yours"
	}
	return e
}

// tail is the last lines of a program's words.
func tail(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	const most = 8
	if len(lines) > most {
		lines = append([]string{"…"}, lines[len(lines)-most:]...)
	}
	return strings.Join(lines, "\n")
}
