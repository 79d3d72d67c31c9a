package source

import (
	"embed"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/langsrc"
)

// read reads and indexes the files that belong to this build.
func (p *Package) read(src *langsrc.Source, fsys fs.FS) error {
	texts, err := p.open(src, fsys)
	if err != nil {
		return &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf("package %s: %v", src.Path, err)}
	}
	p.texts = append(p.texts, texts...)
	if src.Lang {
		return p.cutAll(texts)
	}
	if err := parseAll(texts); err != nil {
		return err
	}
	external := strings.HasSuffix(src.Path, "_test")
	for _, t := range texts {
		if strings.HasSuffix(t.file.Name.Name, "_test") == external {
			p.index(t)
		}
	}
	return nil
}

// open lists the files that are not known yet. All but those of the language are read.
func (p *Package) open(src *langsrc.Source, fsys fs.FS) (texts []*text, err error) {
	names, err := goFiles(src, fsys)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t := &text{pkg: p, name: path.Join(src.Dir, name), order: len(p.texts) + len(texts), lang: src.Lang, fsys: fsys}
		if slices.ContainsFunc(p.texts, func(old *text) bool { return old.name == t.name }) {
			continue
		}
		if _, embedded := fsys.(embed.FS); !embedded || !src.Lang {
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			t.src = string(text)
		}
		texts = append(texts, t)
	}
	return texts, nil
}

// parseAll parses files, several at once.
func parseAll(texts []*text) error {
	errs := make([]error, len(texts))
	var wg sync.WaitGroup
	for i, t := range texts {
		wg.Go(func() { errs[i] = t.parse() })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// goFiles lists the Go files that the build of this program took.
func goFiles(src *langsrc.Source, fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	ctx := build.Default
	ctx.OpenFile = func(name string) (io.ReadCloser, error) { return fsys.Open(path.Base(name)) }
	ctx.JoinPath = path.Join
	var names []string
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || src.Lang && strings.HasSuffix(e.Name(), "_test.go") {
			continue // a folder of the language embeds its examples, too
		}
		if !src.Lang {
			if ok, err := ctx.MatchFile("", e.Name()); err != nil || !ok {
				continue
			}
		}
		names = append(names, e.Name())
	}
	return names, nil
}
