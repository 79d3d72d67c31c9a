package cuda

import (
	"archive/zip"
	"context"
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

// Record assembles a module for targets such as "sm_90" into a folder that [Prebuilt] reads. What the folder holds is not
// made again. asm may be nil for tileiras.
func Record(ctx context.Context, asm Assembler, m *tileir.Module, entry string, dir string, targets []string) error {
	if asm == nil {
		t, err := FindTileiras()
		if err != nil {
			return err
		}
		asm = t
	}
	versions, err := asm.Versions(ctx)
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return errors.New("the assembler reads no bytecode that we write")
	}
	version := versions[len(versions)-1]
	data, err := bytecode.Write(m, version, bytecode.Options{})
	if err != nil {
		return err
	}
	e, err := findEntry(m, entry)
	if err != nil {
		return err
	}
	kept := &Prebuilt{FS: os.DirFS(dir), Next: &Recorder{Dir: dir, Next: asm}}
	var errs []error
	for _, target := range targets {
		_, err := kept.Assemble(ctx, Job{Bytecode: data, Version: version, Target: target, Module: m, Entry: e})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
