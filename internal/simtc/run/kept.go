package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// CacheEnv switches the cache folder on, which all processes of the machine share: the MiB that it may hold. The folder
// is in the one that CUTILE_CACHE names.
const CacheEnv = "CUTILE_CUTE_CACHE"

// kept gives PTX or machine code of the program: from the cache folder where there is one and it has it.
func (p *program) kept(ctx context.Context, kind string, build func(context.Context) ([]byte, error)) ([]byte, error) {
	s, err := folder()
	if err != nil {
		return nil, err
	}
	if s == nil || p.options.NoCache {
		return build(ctx)
	}
	made := false
	data, err := s.Get(ctx, p.key(kind), func(ctx context.Context) ([]byte, error) {
		made = true
		return build(ctx)
	})
	if err == nil && !made {
		counters.found.Add(1)
		p.options.log("%s: %s found in the cache folder", p.module.Name, kind)
	}
	return data, err
}

// key names PTX or machine code of the program in the cache folder.
func (p *program) key(kind string) store.Key {
	return store.KeyOf(p.hash[:], []byte(kind), []byte(p.arch))
}

// forget drops what is kept of the program, which a driver refused, so that the next process makes it anew.
func (p *program) forget() error {
	s, err := folder()
	if s == nil || p.options.NoCache {
		return err
	}
	return errors.Join(s.Drop(p.key(keptPTX)), s.Drop(p.key(keptCubin)))
}

// The kinds of what is kept.
const (
	keptPTX   = "ptx"
	keptCubin = "cubin"
)

// folder is the cache folder: nil where it is not switched on.
func folder() (*store.Store, error) {
	text := os.Getenv(CacheEnv)
	if text == "" {
		return nil, nil
	}
	size, err := strconv.ParseInt(text, 10, 40)
	if err != nil || size < 0 {
		return nil, fmt.Errorf("%s=%q: want a number of MiB", CacheEnv, text)
	}
	dir, err := toolchain.CacheDir()
	if err != nil || size == 0 {
		return nil, nil // without a folder all works, more slowly
	}
	return store.New(filepath.Join(dir, "cute"), size<<20), nil
}

// environment is the settings of the environment that decide what is made, those of tools aside.
func environment() string { return os.Getenv(OptionsEnv) }

// version names the compiler: the module's version, and for one that is being worked on the program.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return executable()
	}
	const path = "github.com/cutile-go/cutile"
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path && m.Version != "" && !strings.Contains(m.Version, "devel") && m.Replace == nil {
			return m.Version + " " + m.Sum
		}
	}
	return executable()
})

// executable names the running program by size and time.
func executable() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(file)
	if err != nil {
		return ""
	}
	return fmt.Sprint(st.Size(), st.ModTime().UnixNano())
}
