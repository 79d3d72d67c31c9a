package toolchain

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
)

// Info is what a tool says about itself.
type Info struct {
	Version   string           // such as "13.4.92"
	Bytecodes []tileir.Version // of tileiras: what it reads, of the versions that we know, oldest first
	Targets   []string         // of tileiras and ptxas: such as "sm_90", in the tool's order
}

// Newest is the newest bytecode version that the tool reads, and ok is false if it reads none that we write.
func (i Info) Newest() (v tileir.Version, ok bool) {
	if len(i.Bytecodes) == 0 {
		return 0, false
	}
	return i.Bytecodes[len(i.Bytecodes)-1], true
}

var infos sync.Map // of Info, by the tool's key

// Info asks the tool, once for each file: the answer is kept in the cache folder, under the file's size and time.
func (t Tool) Info(ctx context.Context) (Info, error) {
	key, err := t.key()
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", t.Name, err)
	}
	if i, ok := infos.Load(key); ok {
		return i.(Info), nil
	}
	info, ok := loadInfo(key)
	if !ok {
		if info, err = t.ask(ctx); err != nil {
			return Info{}, err
		}
		saveInfo(key, info)
	}
	infos.Store(key, info)
	return info, nil
}

// infoFormat changes when Info or the way to read it does, so that old answers are not taken.
const infoFormat = 1

// key names the tool's file and its state.
func (t Tool) key() (string, error) {
	path, err := filepath.EvalSymlinks(t.Path)
	if err != nil {
		return "", err
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s\n%s\n%d\n%d", infoFormat, t.Name, path, st.Size(), st.ModTime().UnixNano()))
	return fmt.Sprintf("%x", sum[:16]), nil
}

func infoFile(key string) (string, error) {
	d, err := CacheDir()
	return filepath.Join(d, "toolchain", "info", key+".json"), err
}

func loadInfo(key string) (info Info, ok bool) {
	path, err := infoFile(key)
	if err != nil || trustFolders(filepath.Dir(path)) != nil {
		return info, false
	}
	b, err := store.ReadFile(path, maxManifest)
	return info, err == nil && json.Unmarshal(b, &info) == nil && info.Version != ""
}

// saveInfo is best effort: without it the next program asks again.
func saveInfo(key string, info Info) {
	path, err := infoFile(key)
	if err != nil || trustFolders(filepath.Dir(path)) != nil || os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	b, err := json.Marshal(info)
	if err != nil {
		return
	}
	store.WriteFile(path, b)
}

var (
	versionRE = regexp.MustCompile(`\bV(\d+\.\d+(?:\.\d+)*)`)
	targetRE  = regexp.MustCompile(`\bsm_\d+[a-z]?\b`)
)

// ask runs the tool.
func (t Tool) ask(ctx context.Context) (Info, error) {
	out, err := t.output(ctx, "--version")
	if err != nil {
		return Info{}, err
	}
	m := versionRE.FindStringSubmatch(out)
	if m == nil {
		return Info{}, fmt.Errorf("%s --version prints no version: %q; is this NVIDIA's %s?", t.Path, firstLine(out), t.Name)
	}
	info := Info{Version: m[1]}
	if t.Name != Tileiras && t.Name != Ptxas {
		return info, nil
	}
	if out, err = t.output(ctx, "--help"); err != nil {
		return Info{}, err
	}
	info.Targets = targets(out)
	if t.Name == Tileiras {
		out, err = t.output(ctx, "--list-versions")
		if err != nil && ctx.Err() != nil {
			return Info{}, err
		}
		info.Bytecodes = bytecodes(out, err == nil, info.Version)
	}
	return info, nil
}

// targets reads what a tool's help lists under its option --gpu-name.
func targets(help string) []string {
	var out []string
	inside := false
	for line := range strings.Lines(help) {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "--") {
			inside = strings.HasPrefix(text, "--gpu-name")
		}
		if !inside {
			continue
		}
		for _, t := range targetRE.FindAllString(line, -1) {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// bytecodes reads the list of --list-versions. A release that lacks the option reads every version up to its own number.
func bytecodes(list string, listed bool, release string) []tileir.Version {
	var out []tileir.Version
	for _, v := range tileir.Versions() {
		ok := slices.Contains(strings.Fields(list), v.String())
		if !listed {
			ok = compareVersions(v.String(), release) <= 0
		}
		if ok {
			out = append(out, v)
		}
	}
	return out
}

func (t Tool) output(ctx context.Context, arg string) (string, error) {
	out, errs, err := Command{Path: t.Path, Args: []string{arg}, Limit: maxOutput}.Run(ctx)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", t.Path, arg, err, firstLine(string(errs)+string(out)))
	}
	return string(out), nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
