package cuda

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// identity is bytecode that names a module's code in folders. It has no positions in the source, so that code is found by a program that was built
// in another folder, with -trimpath, or with other lines above the kernel.
func identity(m *tileir.Module, v tileir.Version) ([]byte, error) {
	return bytecode.Write(m, v, bytecode.Options{Strip: true})
}

// fileName is the name of the file in a folder of cubins that a job makes.
func (j Job) fileName() (string, error) {
	if j.Module == nil || j.Version == 0 { // as others may ask
		return CubinName(j.Bytecode, j.Target), nil
	}
	code, err := identity(j.Module, j.Version)
	return CubinName(code, j.Target), err
}

// CubinName is the name of a cubin's file in a folder of them: a hash of the bytecode, without positions, and the target.
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
	m, err := readManifest(p.FS)
	if errors.Is(err, fs.ErrNotExist) && p.Next != nil {
		return p.Next.Versions(ctx)
	}
	if err == nil && len(m.Bytecodes) == 0 { // all of it is of our own compiler
		if p.Next == nil {
			return nil, errors.New("the folder of cubins has no code of tileiras for this kernel, and tileiras is not installed (cutile toolchain install)")
		}
		return p.Next.Versions(ctx)
	}
	return m.Bytecodes, err
}

// Assemble implements [Assembler].
func (p *Prebuilt) Assemble(ctx context.Context, job Job) ([]byte, error) {
	name, err := job.fileName()
	if err != nil {
		return nil, err
	}
	cubin, err := p.read(name)
	if err == nil {
		return cubin, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if p.Next != nil {
		return p.Next.Assemble(ctx, job)
	}
	return nil, &AssemblyError{Job: job, Tool: toolchain.Tool{Name: "the folder of cubins"}, Reason: "has no " + name, Err: err,
		Advice: "make the folder again with this program, or install a toolchain (cutile toolchain install)"}
}

// read reads a file. One that the manifest does not list, as there may be none, is taken as it is.
func (p *Prebuilt) read(name string) ([]byte, error) {
	m, err := readManifest(p.FS)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if f, ok := m.find(name); ok {
		return f.read(p.FS)
	}
	return ManifestFile{File: name}.read(p.FS)
}

// forget makes the next assembler forget a job; the folder belongs to the user.
func (p *Prebuilt) forget(ctx context.Context, job Job) error {
	if next, ok := p.Next.(forgetter); ok {
		return next.forget(ctx, job)
	}
	return nil
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
	name, err := job.fileName()
	if err != nil {
		return nil, err
	}
	return cubin, addToFolder(ctx, r.Dir, cubin, describeFile(name, job), versions)
}

// holds reports whether the folder has a file.
func (p *Prebuilt) holds(name string) bool {
	_, err := fs.Stat(p.FS, name)
	return err == nil
}
