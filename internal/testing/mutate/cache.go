package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildCache is a cache of the go command's for one run. It begins with what the user's has, as links to the same files, so
// that a mutant compiles quickly; what a mutant adds is of no use to anyone and is dropped after it.
type buildCache struct {
	dir  string
	kept map[string]bool
}

// newBuildCache makes a cache in a temporary folder, with the files of the user's one.
func newBuildCache() (*buildCache, error) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutate-cache")
	if err != nil {
		return nil, err
	}
	c := &buildCache{dir: dir, kept: map[string]bool{}}
	c.seed(strings.TrimSpace(string(out)))
	return c, nil
}

// seed takes over the files of another cache. What cannot be linked, because it is on another file system or was removed
// meanwhile, is left out: the go command makes it again. The go command writes anew the files of a cache's own folder,
// such as trim.txt: these stay the user's.
func (c *buildCache) seed(from string) {
	each(from, func(name, at string) {
		if dir := filepath.Dir(name); dir != "." {
			os.MkdirAll(filepath.Join(c.dir, dir), 0o755)
			os.Link(at, filepath.Join(c.dir, name))
		}
	})
}

// keep makes what the cache has now part of what trim leaves.
func (c *buildCache) keep() {
	each(c.dir, func(name, _ string) { c.kept[name] = true })
}

// trim removes what was added since.
func (c *buildCache) trim() {
	each(c.dir, func(name, at string) {
		if !c.kept[name] {
			os.Remove(at)
		}
	})
}

func each(dir string, f func(name, at string)) {
	filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if name, err := filepath.Rel(dir, at); err == nil {
				f(name, at)
			}
		}
		return nil
	})
}
