package conformance

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
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
	return len(jobs), errors.Join(errors.Join(errs...), assemble(ctx, jobs, &cuda.Prebuilt{FS: os.DirFS(dir), Next: &cuda.Recorder{Dir: dir, Next: asm}}))
}

// newJob is the job that the CUDA engine makes of the code.
func newJob(code *compile.Code, version tileir.Version, target string) (cuda.Job, error) {
	data, err := bytecode.Write(code.Module, version, bytecode.Options{})
	return cuda.Job{Bytecode: data, Version: version, Target: target, Module: code.Module, Entry: code.Module.Entries[0]}, err
}

// assemble does the jobs, as many at once as there are cores.
func assemble(ctx context.Context, jobs map[string]cuda.Job, asm cuda.Assembler) error {
	queue := make(chan cuda.Job)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for job := range queue {
				if _, err := asm.Assemble(ctx, job); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, job := range jobs {
		queue <- job
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
