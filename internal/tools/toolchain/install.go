package toolchain

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/tools/store"
)

// InstallOptions are the choices of [Install].
type InstallOptions struct {
	Python   string    // interpreter; empty for $CUTILE_PYTHON, then python3 or python in the PATH
	Version  string    // one of [Releases]; empty for the newest
	Progress io.Writer // gets what is done, and pip's words; nil for nobody
}

// Installation is a toolchain in our own folder.
type Installation struct {
	Version string
	Dir     string            `json:"-"`
	Pins    []string          // the wheels
	Tools   map[string]string // path by name; in the manifest relative to Dir
}

// InstallError says at which step an install failed and what to do. Nothing of it stays behind.
type InstallError struct {
	Step   string // such as "pip install"
	Reason string
	Advice string
	Output string // the last words of the program that failed
	Err    error
}

// Error is one sentence, then what to do, then the program's words.
func (e *InstallError) Error() string {
	s := "toolchain install: " + e.Step + ": " + e.Reason
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	if e.Output != "" {
		s += names.Output(e.Output)
	}
	return s
}

// Unwrap is the cause.
func (e *InstallError) Unwrap() error { return e.Err }

const (
	manifestName = "toolchain.json" // written last: a folder without it is not ours
	tempPrefix   = "tmp-"
	maxManifest  = 1 << 20
	lockName     = "lock"
	lockPoll     = 100 * time.Millisecond
)

// probeModule is a small kernel in the oldest bytecode version, which every tileiras reads.
//
//go:embed probe.tileirbc
var probeModule []byte

const probeEntry = "vadd_zero" // the kernel in it

// Installed lists what is installed, newest first. What another user may have written is not: see [Distrusted].
func Installed() []Installation {
	root, err := trustedRoot()
	if err != nil {
		return nil
	}
	entries, _ := os.ReadDir(root)
	var out []Installation
	for _, e := range entries {
		if in, err := readInstallation(filepath.Join(root, e.Name())); err == nil && in.Version == e.Name() {
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(a, b Installation) int { return -compareVersions(a.Version, b.Version) })
	return out
}

func readInstallation(dir string) (Installation, error) {
	var in Installation
	if err := store.Trust(dir); err != nil {
		return in, err
	}
	b, err := store.ReadFile(filepath.Join(dir, manifestName), maxManifest)
	if err != nil {
		return in, err
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return in, err
	}
	in.Dir = dir
	return in, in.resolve()
}

// Install puts a release into our own folder, where [Find] finds it, and tries its tools. Two installs at once, also of two
// programs, do the work once. What is there already is only tried. Errors are a [*InstallError], or ctx's.
func Install(ctx context.Context, opts InstallOptions) (Installation, error) {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	rel, err := pickRelease(opts.Version)
	if err != nil {
		return Installation{}, err
	}
	root, err := trustedRoot()
	if err != nil {
		return Installation{}, fail("cache folder", err, "")
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return Installation{}, fail("cache folder", err, "")
	}
	lock := flock.New(filepath.Join(root, lockName))
	if err := takeLock(ctx, lock, opts.Progress); err != nil {
		return Installation{}, err
	}
	defer lock.Unlock()
	dropLeftovers(root)
	final := filepath.Join(root, rel.version)
	if in, err := readInstallation(final); err == nil && slices.Equal(in.Pins, rel.pins()) && trustTree(final) == nil && in.try(ctx) == nil {
		fmt.Fprintf(opts.Progress, "toolchain %s is installed in %s\n", rel.version, final)
		return in, nil
	}
	temp, err := os.MkdirTemp(root, tempPrefix)
	if err != nil {
		return Installation{}, fail("cache folder", err, "")
	}
	defer os.RemoveAll(temp)
	if err := build(ctx, rel, temp, opts); err != nil {
		return Installation{}, err
	}
	if err := os.RemoveAll(final); err != nil {
		return Installation{}, fail("old version", err, "")
	}
	if err := os.Rename(filepath.Join(temp, "site"), final); err != nil {
		return Installation{}, fail("move into place", err, "")
	}
	return readInstallation(final)
}

func pickRelease(version string) (release, error) {
	if !platforms[platform] {
		return release{}, &InstallError{Step: "platform", Reason: "NVIDIA has no tools for " + platform,
			Advice: "use the device \"cpu\" here, and assemble on linux/amd64, linux/arm64 or windows/amd64"}
	}
	if version == "" {
		return releases[0], nil
	}
	for _, r := range releases {
		if r.version == version {
			return r, nil
		}
	}
	return release{}, &InstallError{Step: "version", Reason: fmt.Sprintf("%q is not known", version),
		Advice: "ask for one of " + strings.Join(Releases(), ", ")}
}

func takeLock(ctx context.Context, lock *flock.Flock, progress io.Writer) error {
	if ok, err := lock.TryLock(); err != nil {
		return fail("lock", err, "")
	} else if ok {
		return nil
	}
	fmt.Fprintln(progress, "waiting for another install")
	_, err := lock.TryLockContext(ctx, lockPoll)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fail("lock", err, "")
	}
	return nil
}

// dropLeftovers removes the folders of installs that were killed. We hold the lock, so nobody uses them.
func dropLeftovers(root string) {
	old, _ := filepath.Glob(filepath.Join(root, tempPrefix+"*"))
	for _, d := range old {
		os.RemoveAll(d)
	}
}

// build makes the whole installation in temp/site.
func build(ctx context.Context, rel release, temp string, opts InstallOptions) error {
	site := filepath.Join(temp, "site")
	py, err := findPython(ctx, opts.Python, temp)
	if err != nil {
		return err
	}
	fmt.Fprintf(opts.Progress, "installing NVIDIA's tools %s with %s\n", rel.version, py)
	if err := pipInstall(ctx, py, rel, site, temp, opts.Progress); err != nil {
		return err
	}
	in := Installation{Version: rel.version, Dir: site, Pins: rel.pins(), Tools: map[string]string{}}
	manifest := in
	manifest.Tools = map[string]string{}
	for _, name := range Names() {
		files := wheelFiles(site, name)
		if len(files) == 0 {
			return &InstallError{Step: "wheels", Reason: "they do not contain " + name,
				Advice: "report this, with the system and the pins: " + strings.Join(rel.pins(), " ")}
		}
		path, err := filepath.Rel(site, files[0])
		if err != nil {
			return fail("wheels", err, "")
		}
		in.Tools[name], manifest.Tools[name] = files[0], filepath.ToSlash(path)
	}
	if err := in.try(ctx); err != nil {
		return err
	}
	b, err := json.MarshalIndent(manifest, "", "\t")
	if err != nil {
		return fail("manifest", err, "")
	}
	if err := os.WriteFile(filepath.Join(site, manifestName), append(b, '\n'), 0o644); err != nil {
		return fail("manifest", err, "")
	}
	return nil
}

// try runs every tool, and assembles a small kernel.
func (in Installation) try(ctx context.Context) error {
	tool := func(name string) Tool { return Tool{name, in.Tools[name], in.Dir} }
	for _, name := range Names() {
		if _, err := tool(name).ask(ctx); err != nil {
			return tryError(ctx, name, err)
		}
	}
	info, err := tool(Tileiras).ask(ctx)
	if err != nil {
		return tryError(ctx, Tileiras, err)
	}
	if len(info.Targets) == 0 || len(info.Bytecodes) == 0 {
		return tryError(ctx, Tileiras, errors.New("it lists no targets or no bytecode versions"))
	}
	probe := Assembly{Tool: tool(Tileiras), Input: probeModule, Target: info.Targets[0], Entries: []string{probeEntry}}
	if _, _, err := probe.Run(ctx); err != nil {
		return tryError(ctx, Tileiras, err)
	}
	return nil
}

func tryError(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &InstallError{Step: "trying " + name, Reason: err.Error(), Err: err,
		Advice: "the tools need glibc 2.28 or later on Linux, and a file system that programs may run from"}
}
