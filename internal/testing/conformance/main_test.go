package conformance

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/limit"
)

// The environment of the test binary, beside CUTILE_DEVICE and CUTILE_REQUIRE.
const (
	casesEnv  = "CUTILE_CASES"  // a regular expression: only cases whose names it matches
	cubinsEnv = "CUTILE_CUBINS" // an archive or folder of cubins to use in place of tileiras
	recordEnv = "CUTILE_RECORD" // an archive to write: the binary assembles all cases instead of running them
	archsEnv  = "CUTILE_ARCHS"  // what to assemble for: "sm_90,sm_100", and PTX of our own compiler: "own:sm_90a"
	childEnv  = "CUTILE_CHILD"  // the name of the one case that a child process runs
)

// Exit statuses of the binary's modes.
const (
	exitFailed  = 1
	exitRefused = 3 // there is no GPU, or its driver is too old
)

func TestMain(m *testing.M) {
	if archive := os.Getenv(recordEnv); archive != "" {
		if err := record(archive); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailed)
		}
		return
	}
	if os.Getenv(cubinsEnv) != "" && os.Getenv(childEnv) == "" {
		if err := describe(); err != nil {
			fmt.Fprintln(os.Stderr, "conformance:", err)
			os.Exit(exitRefused)
		}
	}
	os.Exit(m.Run())
}

// chosen lists the cases that the environment asks for.
func chosen() ([]Case, error) {
	pattern, err := regexp.Compile(os.Getenv(casesEnv))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", casesEnv, err)
	}
	var out []Case
	for _, c := range Cases() {
		if pattern.MatchString(c.Name) {
			out = append(out, c)
		}
	}
	return out, nil
}

// record assembles the cases and packs the cubins.
func record(archive string) error {
	cases, err := chosen()
	if err != nil {
		return err
	}
	asm, err := cuda.FindTileiras()
	if err != nil {
		return err
	}
	ctx := context.Background()
	info, err := asm.Tool.Info(ctx)
	if err != nil {
		return err
	}
	d, err := device.Open(cpu.New(cpu.Options{}), limit.Default)
	if err != nil {
		return err
	}
	dir := strings.TrimSuffix(archive, filepath.Ext(archive))
	r := &Runner{Device: d}
	targets := strings.Split(os.Getenv(archsEnv), ",")
	if err := cuda.CheckTargets(targets); err != nil {
		return fmt.Errorf("%s: %w", archsEnv, err)
	}
	isOwn := func(target string) bool { return strings.HasPrefix(target, "own:") }
	own := slices.DeleteFunc(slices.Clone(targets), func(t string) bool { return !isOwn(t) })
	n, err := r.Record(ctx, cases, asm, dir, slices.DeleteFunc(targets, isOwn))
	if err != nil {
		return err
	}
	fmt.Printf("%d cubins of %d cases, made by %s %s\n", n, len(cases), asm.Tool.Name, info.Version)
	if len(own) > 0 {
		if n, err = r.RecordOwn(ctx, cases, dir, own); err != nil {
			return err
		}
		fmt.Printf("%d kernels as PTX for %s\n", n, strings.Join(own, ", "))
	}
	return Pack(archive, dir, asm.Tool.Name+" "+info.Version)
}

// describe prints the tools, driver and GPUs of a run with prebuilt cubins, and says why they cannot work together.
func describe() error {
	cubins, err := cuda.OpenCubins(os.Getenv(cubinsEnv))
	if err != nil {
		return err
	}
	tool, err := fs.ReadFile(cubins, ToolFile)
	if err != nil {
		return err
	}
	fmt.Printf("cubins:  %s", tool)
	infos, err := cuda.Devices(nil)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		return fmt.Errorf("the driver lists no GPU: check nvidia-smi and CUDA_VISIBLE_DEVICES")
	}
	fmt.Printf("driver:  for CUDA %s\n", cudrv.VersionName(infos[0].Driver))
	for _, i := range infos {
		fmt.Printf("%s:  %s\n", i.Name(), i)
	}
	if os.Getenv(cuda.AssemblerEnv) == cuda.AssemblerOwn {
		return nil // which compiles what the archive lacks
	}
	return fits(string(tool), infos[0], cubins)
}

// fits says whether a driver runs the cubins. CUDA's minor version compatibility is the rule: code of a toolkit runs on
// drivers of its major version and on newer ones, though features that are newer than the driver fail.
func fits(tool string, gpu cuda.Info, cubins fs.FS) error {
	name, version, _ := strings.Cut(strings.TrimSpace(tool), " ")
	part := strings.Split(version, ".")
	if len(part) < 2 {
		return fmt.Errorf("%s names no version: %q", ToolFile, tool)
	}
	major, err := strconv.Atoi(part[0])
	if err != nil {
		return fmt.Errorf("%s: %w", ToolFile, err)
	}
	minor, err := strconv.Atoi(part[1])
	if err != nil {
		return fmt.Errorf("%s: %w", ToolFile, err)
	}
	need := max(1000*major, cuda.MinDriver)
	if gpu.Driver < need {
		return fmt.Errorf("the driver supports CUDA %s, but cubins of %s %s need a driver for CUDA %s or later: update the NVIDIA driver",
			cudrv.VersionName(gpu.Driver), name, version, cudrv.VersionName(need))
	}
	if gpu.Driver < 1000*major+10*minor {
		fmt.Printf("note:    the driver is older than the tool; it runs the cubins but for features that are newer than it\n")
	}
	if found, err := fs.Glob(cubins, "*."+gpu.Target()+".cubin"); err != nil || len(found) == 0 {
		return fmt.Errorf("there are no cubins for %s (%s): build them with this architecture", gpu.Model, gpu.Target())
	}
	return nil
}
