// Package override replaces the Tile IR of kernels by text that somebody has edited.
package override

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// Env is the environment variable that names the folder of texts.
const Env = "CUTILE_OVERRIDE"

// Key names a module by what it computes: 32 digits in base 16, a hash of its bytecode without source positions. It is the same in every
// process, on every machine, and for a program that was built elsewhere.
func Key(m *tileir.Module) (string, error) {
	code, err := bytecode.Write(m, tileir.Newest, bytecode.Options{Strip: true})
	return fmt.Sprintf("%x", sha256.Sum256(code))[:32], err
}

// Module gives what a folder has in place of a module with one entry, verified, and the name of the file. A module of which the folder has no
// text is written there, after a comment with facts of it, and gives itself and no name, as does one whose text has not been changed.
func Module(m *tileir.Module, dir, facts string) (replaced *tileir.Module, file string, err error) {
	key, err := Key(m)
	if err != nil {
		return nil, "", err
	}
	symbol := m.Entries[0].Name
	file = filepath.Join(dir, symbol[:min(len(symbol), maxSymbol)]+"."+key+".tileir")
	src, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return m, "", write(m, file, facts)
	}
	if err != nil {
		return nil, "", err
	}
	replaced, err = read(string(src), file)
	if err != nil {
		return nil, "", err
	}
	replaced.Producer = m.Producer // which the text does not have
	switch other, err := Key(replaced); {
	case err != nil:
		return nil, "", fmt.Errorf("%s: %w", file, err)
	case other == key:
		return m, "", nil
	}
	return replaced, file, nil
}

// maxSymbol bounds what a file's name has of a symbol, as names of files have at most 255 bytes.
const maxSymbol = 150

// write writes the text of a module.
func write(m *tileir.Module, file, facts string) error {
	var b bytes.Buffer
	for line := range strings.Lines(facts) {
		fmt.Fprintf(&b, "// %s", line)
	}
	if err := text.Print(&b, m, text.PrintOptions{}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return store.WriteFile(file, b.Bytes())
}

// read reads the text of a module and verifies it. Its operations have their positions in the text, but not for the verifier, whose
// messages have these anyway.
func read(src, file string) (m *tileir.Module, err error) {
	if m, err = text.Parse(src, text.ParseOptions{File: file}); err != nil {
		return nil, err
	}
	if err := m.Verify(tileir.Newest); err != nil {
		return nil, err
	}
	return text.Parse(src, text.ParseOptions{File: file, Places: true})
}
