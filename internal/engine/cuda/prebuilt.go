package cuda

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// versionsFile lists, in a folder of cubins, the versions of the assembler that made them.
const versionsFile = "versions.txt"

// CubinName is the name of a cubin's file in a folder of them: a hash of the bytecode and the target.
func CubinName(code []byte, target string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", target)
	h.Write(code)
	return fmt.Sprintf("%x.%s.cubin", h.Sum(nil)[:16], target)
}

// Prebuilt takes cubins from a folder that a [Recorder] filled, so that no tileiras is needed.
type Prebuilt struct {
	FS   fs.FS
	Next Assembler // for what the folder does not hold; may be nil
}

// Versions implements [Assembler]: those of the assembler that made the folder.
func (p *Prebuilt) Versions(ctx context.Context) ([]tileir.Version, error) {
	b, err := fs.ReadFile(p.FS, versionsFile)
	if errors.Is(err, fs.ErrNotExist) && p.Next != nil {
		return p.Next.Versions(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("folder of cubins: %w", err)
	}
	var out []tileir.Version
	for _, f := range strings.Fields(string(b)) {
		v, err := tileir.ParseVersion(f)
		if err != nil {
			return nil, fmt.Errorf("folder of cubins: %s: %w", versionsFile, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// Assemble implements [Assembler].
func (p *Prebuilt) Assemble(ctx context.Context, job Job) ([]byte, error) {
	name := CubinName(job.Bytecode, job.Target)
	cubin, err := fs.ReadFile(p.FS, name)
	if err == nil {
		return cubin, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("folder of cubins: %w", err)
	}
	if p.Next != nil {
		return p.Next.Assemble(ctx, job)
	}
	return nil, &AssemblyError{Job: job, Tool: toolchain.Tool{Name: "the folder of cubins"}, Reason: "has no " + name, Err: err,
		Advice: "make the folder again with this program, or install a toolchain (cutile toolchain install)"}
}

// Recorder keeps the cubins that another assembler makes in a folder, for [Prebuilt].
type Recorder struct {
	Dir  string
	Next Assembler
}

// Versions implements [Assembler].
func (r *Recorder) Versions(ctx context.Context) ([]tileir.Version, error) {
	return r.Next.Versions(ctx)
}

// Assemble implements [Assembler].
func (r *Recorder) Assemble(ctx context.Context, job Job) ([]byte, error) {
	cubin, err := r.Next.Assemble(ctx, job)
	if err != nil {
		return nil, err
	}
	versions, err := r.Next.Versions(ctx)
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	for _, v := range versions {
		fmt.Fprintln(&list, v)
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("folder of cubins: %w", err)
	}
	for name, data := range map[string][]byte{versionsFile: []byte(list.String()), CubinName(job.Bytecode, job.Target): cubin} {
		if err := writeFile(r.Dir, name, data); err != nil {
			return nil, fmt.Errorf("folder of cubins: %w", err)
		}
	}
	return cubin, nil
}

// writeFile puts a file in place at once, so that nobody reads half of it.
func writeFile(dir, name string, data []byte) error {
	f, err := os.CreateTemp(dir, "tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}
