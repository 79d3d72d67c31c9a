package cuda

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// OpenCubins opens a folder of cubins, or a zip archive of one, for [Prebuilt]. An archive stays open until the process
// ends.
func OpenCubins(place string) (files fs.FS, err error) {
	if filepath.Ext(place) == ".zip" {
		files, err = zip.OpenReader(place)
	} else {
		files, err = openFolder(place)
	}
	if err != nil {
		return nil, fmt.Errorf("cubins: %s: %w", place, err)
	}
	return files, checkFolder(files)
}

// openFolder opens a folder.
func openFolder(place string) (fs.FS, error) {
	switch info, err := os.Stat(place); {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, errors.New("it is a file: want a folder, or an archive whose name ends in .zip")
	}
	return os.DirFS(place), nil
}

// checkFolder refuses what cannot be a folder of code: one that cannot be read, and one whose code is in a folder below, as it is where a
// program embeds the folder by its name. One without code is none of them: a program that embeds it has to be built before it can record any.
func checkFolder(files fs.FS) error {
	name := "folder of cubins"
	if v := reflect.ValueOf(files); v.Kind() == reflect.String { // of os.DirFS
		name = "folder of cubins " + v.String()
	}
	list, err := fs.ReadDir(files, ".")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	below := ""
	for _, f := range list {
		if !f.IsDir() && (f.Name() == manifestFile || path.Ext(f.Name()) == ".cubin") {
			return nil
		}
		if _, err := fs.Stat(files, path.Join(f.Name(), manifestFile)); err == nil && f.IsDir() {
			below = f.Name()
		}
	}
	if below != "" {
		return fmt.Errorf("%s: it has no %s, but its folder %s has: give that one (of files such as an embed.FS, fs.Sub(files, %[3]q))", name, manifestFile, below)
	}
	return nil
}

// Export writes a module to a folder that [Prebuilt] reads, in each form that is asked for: the cubin for a target such as
// "sm_90", PTX of our own compiler for one such as "own:sm_75", bytecode of a version such as "13.2". Code that the folder holds is not
// made again. asm may be nil for what CUTILE_ASSEMBLER and [Choose] say; our own compiler needs ptxas for cubins. No kernel takes tensor
// maps, so that any program can launch it.
func Export(ctx context.Context, asm Assembler, m *tileir.Module, entry string, dir string, targets []string) error {
	return export(ctx, asm, m, entry, ownExport{dir: dir}, targets)
}

// Record is [Export] for devices of this package, which make tensor maps: where a kernel can take some, the folder gets it with them, too.
func Record(ctx context.Context, m *tileir.Module, entry string, dir string, targets []string) error {
	return export(ctx, nil, m, entry, ownExport{dir: dir, tensors: true}, targets)
}

// export writes a module to the folder of x, whose other fields it sets.
func export(ctx context.Context, asm Assembler, m *tileir.Module, entry string, x ownExport, targets []string) (err error) {
	x.m = m
	if x.e, err = engine.FindEntry(m, entry); err != nil {
		return err
	}
	if x.data, err = bytecode.Write(m, tileir.Newest, bytecode.Options{}); err != nil {
		return err
	}
	if x.name, err = identity(m, tileir.Newest); err != nil {
		return err
	}
	var archs []string
	for _, target := range targets {
		arch, own := strings.CutPrefix(target, ownPrefix)
		version, unknown := tileir.ParseVersion(target)
		switch {
		case own:
			err = x.ptx(ctx, arch)
		case unknown != nil:
			archs = append(archs, target)
		default:
			err = exportBytecode(ctx, &x, version)
		}
		if err != nil {
			return err
		}
	}
	if len(archs) == 0 {
		return nil
	}
	return exportCubins(ctx, asm, &x, archs)
}

// exportBytecode writes bytecode of a version.
func exportBytecode(ctx context.Context, x *ownExport, version tileir.Version) error {
	data, err := bytecode.Write(x.m, version, bytecode.Options{})
	if err != nil {
		return err
	}
	job := Job{Bytecode: data, Version: version, Module: x.m, Entry: x.e}
	return addToFolder(ctx, x.dir, data, describeFile(bytecodeName(data, version), job), nil)
}

func bytecodeName(data []byte, v tileir.Version) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%x.%s.tileirbc", sum[:16], v)
}

// exportCubins makes the cubins of each target.
func exportCubins(ctx context.Context, asm Assembler, x *ownExport, targets []string) error {
	asked, err := ChosenAssembler("")
	if err != nil {
		return err
	}
	var errs []error
	for _, target := range targets {
		err := exportCubin(ctx, asm, asked, x, target)
		errs = append(errs, err)
		if ofFolder(err) {
			break
		}
	}
	return errors.Join(errs...)
}

// exportCubin makes the cubin of a target, by tileiras, or by our own compiler where [Choose] says so or tileiras fails.
func exportCubin(ctx context.Context, asm Assembler, asked string, x *ownExport, target string) error {
	c := Choice{AssemblerTileiras, "it is the only one", true}
	if asm == nil {
		gpu, err := gpuOf(target)
		if err != nil {
			return err
		}
		if c, err = Choose(asked, gpu, askTileiras(ctx)); err != nil {
			return err
		}
	}
	var first error
	if c.Assembler == AssemblerTileiras {
		if first = exportTileiras(ctx, asm, x, target); first == nil || c.Only || ctx.Err() != nil || ofFolder(first) {
			return first
		}
		c.Because = first.Error()
	}
	engine.Note(ctx, "assembler", AssemblerOwn)
	engine.Note(ctx, "because", c.Because)
	if err := x.cubin(ctx, target); err != nil {
		why := ""
		if first == nil { // which is told before
			why = ", since " + c.Because
		}
		err = fmt.Errorf("kernel %s: code for %s by our own compiler%s: %w", x.e.Name, target, why, err)
		if errors.Is(err, toolchain.ErrNotFound) {
			err = fmt.Errorf("%w; PTX takes no tool: ask for %s%s", err, ownPrefix, target)
		}
		return refusal(first, err)
	}
	return nil
}

// exportTileiras makes a cubin by an assembler; nil for tileiras.
func exportTileiras(ctx context.Context, asm Assembler, x *ownExport, target string) error {
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
	data, err := bytecode.Write(x.m, version, bytecode.Options{})
	if err != nil {
		return err
	}
	kept := &Prebuilt{FS: os.DirFS(x.dir), Next: &Recorder{Dir: x.dir, Next: asm}}
	job := Job{Bytecode: data, Version: version, Target: target, Module: x.m, Entry: x.e}
	_, err = kept.Assemble(ctx, job)
	return bundled(job, err)
}
