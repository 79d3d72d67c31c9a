package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/cutile-go/cutile/internal/front/diag"
)

// text is one file of a package. Its declarations share it.
type text struct {
	pkg   *Package
	name  string // with the folder that it was compiled in
	order int    // among the files of the package
	fsys  fs.FS
	src   string // nothing where a file of the language is read in parts
	lang  bool
	head  int // of a file that is cut: where its declarations begin

	headed, imported sync.Once
	file             *ast.File // of a file that is cut: package clause and imports
	byName           map[string]string
	dot              []string
}

// part reads a part of the file.
func (t *text) part(part []byte, from int) error {
	if t.src != "" {
		copy(part, t.src[from:])
		return nil
	}
	f, err := t.fsys.Open(path.Base(t.name))
	if err != nil {
		return err
	}
	defer f.Close()
	if n, err := f.(io.ReaderAt).ReadAt(part, int64(from)); n < len(part) {
		return err
	}
	return nil
}

// whole is the whole file.
func (t *text) whole() string {
	if t.src != "" {
		return t.src
	}
	text, _ := fs.ReadFile(t.fsys, path.Base(t.name))
	return string(text)
}

// parse parses the whole file.
func (t *text) parse() (err error) {
	t.file, err = parser.ParseFile(Fset, t.name, t.src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return &diag.Error{Stage: diag.Capture, Msg: err.Error()}
	}
	t.own(t.file)
	return nil
}

// own remembers that syntax is the language's: mistakes in it belong to its caller.
func (t *text) own(f *ast.File) {
	if t.lang {
		languageFiles.Store(Fset.File(f.FileStart), true)
	}
}

// header gives the syntax of the file, without declarations where it is cut.
func (t *text) header() *ast.File {
	t.headed.Do(func() {
		if t.file == nil {
			t.file = t.fragment(0, t.head, 1, parser.ImportsOnly)
		}
	})
	return t.file
}

// imports gives what [Imports] does, once for all declarations of the file.
func (t *text) imports() (byName map[string]string, dot []string) {
	t.imported.Do(func() { t.byName, t.dot = Imports(t.header()) })
	return t.byName, t.dot
}

// fragment parses a part of a file that is cut. Positions are those of the file.
func (t *text) fragment(from, to, line int, mode parser.Mode) *ast.File {
	clause := ""
	if from > 0 {
		clause = "package " + t.pkg.Name + "\n"
	}
	src := make([]byte, len(clause)+to-from)
	err := t.part(src[copy(src, clause):], from)
	var f *ast.File
	if err == nil {
		f, err = parser.ParseFile(Fset, t.name, src, mode|parser.SkipObjectResolution|parser.ParseComments)
	}
	if err != nil {
		panic(fmt.Sprintf("BUG: %s:%d: %v", t.name, line, err))
	}
	if clause != "" {
		Fset.File(f.FileStart).AddLineColumnInfo(len(clause), t.name, line, 1)
	}
	t.own(f)
	return f
}

// languageFiles are the files of the language: mistakes in them belong to their callers.
var languageFiles sync.Map // of *token.File to bool

// IsLanguage reports whether a position is inside the language's own source.
func IsLanguage(pos token.Pos) bool {
	f := Fset.File(pos)
	if f == nil {
		return true
	}
	_, ok := languageFiles.Load(f)
	return ok
}
