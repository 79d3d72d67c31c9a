package cuda

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// OpenCubins opens a folder of cubins, or a zip archive of one, for [Prebuilt]. An archive stays open until the process
// ends.
func OpenCubins(path string) (fs.FS, error) {
	if filepath.Ext(path) != ".zip" {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("folder of cubins: %w", err)
		}
		return os.DirFS(path), nil
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("archive of cubins %s: %w", path, err)
	}
	return z, nil
}

// Export writes a module to a folder that [Prebuilt] reads, in each form that is asked for: the cubin for a target such as
// "sm_90", bytecode of a version such as "13.2". Cubins that the folder holds are not made again. asm may be nil for
// tileiras.
func Export(ctx context.Context, asm Assembler, m *tileir.Module, entry string, dir string, targets []string) error {
	e, err := findEntry(m, entry)
	if err != nil {
		return err
	}
	var archs []string
	for _, target := range targets {
		version, err := tileir.ParseVersion(target)
		if err != nil {
			archs = append(archs, target)
			continue
		}
		data, err := bytecode.Write(m, version, bytecode.Options{})
		if err != nil {
			return err
		}
		job := Job{Bytecode: data, Version: version, Entry: e}
		if err := addToFolder(ctx, dir, data, describeFile(bytecodeName(data, version), job), nil); err != nil {
			return err
		}
	}
	if len(archs) == 0 {
		return nil
	}
	return exportCubins(ctx, asm, m, e, dir, archs)
}

func bytecodeName(data []byte, v tileir.Version) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%x.%s.tileirbc", sum[:16], v)
}

func exportCubins(ctx context.Context, asm Assembler, m *tileir.Module, e *tileir.Entry, dir string, targets []string) error {
	if asm == nil {
		var err error
		if asm, err = keepingTileiras(); err != nil {
			return err
		}
	}
	versions, err := asm.Versions(ctx)
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return errors.New("the assembler reads none of the bytecode versions that this program writes")
	}
	version := versions[len(versions)-1]
	data, err := bytecode.Write(m, version, bytecode.Options{})
	if err != nil {
		return err
	}
	kept := &Prebuilt{FS: os.DirFS(dir), Next: &Recorder{Dir: dir, Next: asm}}
	var errs []error
	for _, target := range targets {
		job := Job{Bytecode: data, Version: version, Target: target, Module: m, Entry: e}
		_, err := kept.Assemble(ctx, job)
		errs = append(errs, bundled(job, err))
	}
	return errors.Join(errs...)
}
