package toolbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// File is a module with where it came from.
type File struct {
	Name    string
	Module  *tileir.Module
	Version tileir.Version // of bytecode; of text 0, as it does not say
}

// Form says what the file is, such as "bytecode 13.2".
func (f *File) Form() string {
	if f.Version == 0 {
		return "text"
	}
	return "bytecode " + f.Version.String()
}

// OwnVersion is the version of bytecode, and for a text the newest.
func (f *File) OwnVersion() tileir.Version {
	if f.Version == 0 {
		return tileir.Newest
	}
	return f.Version
}

const (
	maxFile = 256 << 20 // bytes of a file with a module
	headLen = 4096      // bytes that tell whether a file is one at all
)

// ReadBytes reads a file; "-" is the standard input. If it is not a module, it gives only the beginning, which shows that: a
// device may have no end.
func ReadBytes(stdin io.Reader, name string) (data []byte, title string, err error) {
	if name == "-" {
		data, err = readBytes(stdin)
		return data, "standard input", err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, name, err
	}
	defer f.Close()
	if data, err = readBytes(f); err != nil && !errors.As(err, new(*os.PathError)) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return data, name, err
}

func readBytes(r io.Reader) ([]byte, error) {
	head := make([]byte, headLen)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return head, nil
	case err != nil:
		return nil, err
	case !bytes.HasPrefix(head, []byte(Mark)) && bytes.IndexByte(head, 0) >= 0:
		return head, nil // neither bytecode nor text
	}
	rest, err := io.ReadAll(io.LimitReader(r, maxFile-headLen+1))
	if err == nil && len(rest) > maxFile-headLen {
		err = fmt.Errorf("it has more than %d MiB, which no module has", maxFile>>20)
	}
	return append(head, rest...), err
}

// Mark is how bytecode begins.
const Mark = "\x7fTileIR"

// isPTX finds how PTX begins, behind comments.
var isPTX = regexp.MustCompile(`^(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*\.version\s`)

// Read reads bytecode, or text with all options but its name; "-" is the standard input.
func Read(stdin io.Reader, name string, opts text.ParseOptions) (*File, error) {
	data, title, err := ReadBytes(stdin, name)
	if err != nil {
		return nil, err
	}
	f := &File{Name: title}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return f, fmt.Errorf("%s is a text in UTF-16, as its first bytes say: save it as UTF-8", title)
	}
	if bytes.HasPrefix(data, []byte(Mark)) || bytes.IndexByte(data, 0) >= 0 && !bytes.HasPrefix(data, []byte("\x7fELF")) {
		if f.Module, f.Version, err = bytecode.Read(data); err != nil {
			return f, fmt.Errorf("%s: %w", title, err)
		}
		return f, f.something()
	}
	switch {
	case isPTX.Match(data):
		return f, fmt.Errorf("%s is PTX, where a Tile IR module is expected, bytecode or text: `cutile profile -emulate FILE` runs PTX, and counts what it does", title)
	case bytes.HasPrefix(data, []byte("\x7fELF")):
		return f, fmt.Errorf("%s is machine code (ELF), where a Tile IR module is expected, bytecode or text: name that of which the code was made", title)
	}
	opts.File = title
	if f.Module, err = text.Parse(string(data), opts); err != nil {
		return f, err
	}
	return f, f.something()
}

// ReadSound reads a module and verifies it for its own version.
func ReadSound(stdin io.Reader, name string) (*File, error) {
	f, err := Read(stdin, name, text.ParseOptions{})
	if err != nil {
		return nil, err
	}
	if err := f.Verify(f.OwnVersion()); err != nil {
		return nil, err
	}
	return f, nil
}

// something refuses an empty module, which is how an empty file reads: checking it would check nothing.
func (f *File) something() error {
	if len(f.Module.Entries)+len(f.Module.Globals) > 0 {
		return nil
	}
	return fmt.Errorf("%s (%s) holds no entry and no global: name a file with a Tile IR module, which `cutile dump -stage bytecode` writes", f.Name, f.Form())
}

// Verify verifies the module for a version. The error lists all faults, one in each line.
func (f *File) Verify(v tileir.Version) error {
	return f.refused("version "+v.String(), f.Module.Verify(v))
}

// VerifyTarget is Verify for a GPU architecture.
func (f *File) VerifyTarget(arch string) error {
	return f.refused(arch, tileir.VerifyTarget(f.Module, arch))
}

// refused is the error for a module that is wrong: nil if nothing is.
func (f *File) refused(target string, err error) error {
	if err == nil {
		return nil
	}
	wrong := []error{err}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		wrong = joined.Unwrap()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s for %s", f.Name, names.Plural(len(wrong), "error"), target)
	for _, w := range wrong {
		b.WriteString("\n  " + strings.TrimPrefix(w.Error(), "tileir: "))
	}
	return errors.New(b.String())
}

// Warn prints what is right but has no effect in a version, one in each line.
func (f *File) Warn(w io.Writer, v tileir.Version) {
	for _, warning := range tileir.Warnings(f.Module, v) {
		text := strings.TrimPrefix(warning.Error(), "tileir: ")
		if warning.Text.IsZero() {
			text = f.Name + ": " + text
		}
		fmt.Fprintf(w, "warning: %s\n", text)
	}
}

// Entry picks an entry by its name or by that of its kernel, such as main.gemm[D64, D64, D32]; the only one without.
func (f *File) Entry(name string) (*tileir.Entry, error) {
	entries := f.Module.Entries
	for _, spelled := range []string{name, names.Entry(name)} {
		if i := slices.IndexFunc(entries, func(e *tileir.Entry) bool { return e.Name == spelled }); i >= 0 {
			return entries[i], nil
		}
	}
	if name == "" && len(entries) == 1 {
		return entries[0], nil
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Name
	}
	switch {
	case len(entries) == 0:
		return nil, fmt.Errorf("%s has no entry", f.Name)
	case name == "":
		return nil, Usagef("%s has %s: choose one of %s with -entry", f.Name, names.Plural(len(entries), "entry"), names.List(all))
	}
	return nil, Usagef("-entry: %s has no entry %q; it has %s", f.Name, name, names.List(all))
}
