package conformance

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"runtime"
	"sync"

	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// ToolFile is the file in an archive of cubins that names the tool which made them, such as "tileiras 13.4.92".
const ToolFile = "tool.txt"

// Record assembles the code of cases for GPU targets such as "sm_90" into a folder that [cuda.Prebuilt] reads. What the
// folder holds is not made again. The runner's device only holds the arguments. It gives the number of kernels, and the
// errors of all cases.
func (r *Runner) Record(ctx context.Context, cases []Case, asm cuda.Assembler, dir string, targets []string) (int, error) {
	versions, err := asm.Versions(ctx)
	if err != nil || len(versions) == 0 {
		return 0, errors.Join(err, errors.New("the assembler reads none of the bytecode versions that this program writes"))
	}
	version := versions[len(versions)-1]
	jobs := map[string]cuda.Job{} // by the cubin's name
	var errs []error
	for _, c := range cases {
		code, err := r.Module(ctx, &c)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
			continue
		}
		for _, target := range targets {
			if tileir.VerifyTarget(code.Module, target) != nil {
				continue // an operation or element that the target does not have
			}
			job, err := newJob(code, version, target)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
				continue
			}
			jobs[cuda.CubinName(job.Bytecode, target)] = job
		}
	}
	kept := &cuda.Prebuilt{FS: os.DirFS(dir), Next: &cuda.Recorder{Dir: dir, Next: asm}}
	return len(jobs), errors.Join(errors.Join(errs...), inParallel(maps.Values(jobs), func(j cuda.Job) error {
		_, err := kept.Assemble(ctx, j)
		return err
	}))
}

// RecordOwn adds the code of our own compiler for targets such as "own:sm_90a" to the folder, and gives the number of kernels.
func (r *Runner) RecordOwn(ctx context.Context, cases []Case, dir string, targets []string) (int, error) {
	codes := map[string]*compile.Code{} // by their bytecode
	var errs []error
	for _, c := range cases {
		code, err := r.Module(ctx, &c)
		if err == nil {
			var data []byte
			data, err = bytecode.Write(code.Module, tileir.Newest, bytecode.Options{})
			codes[string(data)] = code
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
		}
	}
	errs = append(errs, inParallel(maps.Values(codes), func(c *compile.Code) error { return cuda.Record(ctx, c.Module, c.Entry, dir, targets) }))
	return len(codes), errors.Join(errs...)
}

// newJob is the job that the CUDA engine makes of the code.
func newJob(code *compile.Code, version tileir.Version, target string) (cuda.Job, error) {
	data, err := bytecode.Write(code.Module, version, bytecode.Options{})
	return cuda.Job{Bytecode: data, Version: version, Target: target, Module: code.Module, Entry: code.Module.Entries[0]}, err
}

// inParallel does something for each value, for as many at once as there are cores, and gives all errors.
func inParallel[T any](values iter.Seq[T], do func(T) error) error {
	queue := make(chan T)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for v := range queue {
				if err := do(v); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for v := range values {
		queue <- v
	}
	close(queue)
	wg.Wait()
	return errors.Join(errs...)
}

// Pack writes the files of a folder of cubins, and the name of the tool that made them, to a zip archive.
func Pack(archive, dir, tool string) error {
	out, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer out.Close()
	z := zip.NewWriter(out)
	if err := z.AddFS(os.DirFS(dir)); err != nil {
		return err
	}
	w, err := z.Create(ToolFile)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, tool); err != nil {
		return err
	}
	return z.Close()
}
