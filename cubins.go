package cutile

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/compile"
	"github.com/cutile-go/cutile/internal/engine/cuda"
)

// The environment variables with which a program runs on GPUs of machines that have no assembler.
const (
	cubinsEnv = "CUTILE_CUBINS" // a folder or zip archive of cubins to use instead of the assembler
	recordEnv = "CUTILE_RECORD" // a folder to which every kernel that the program compiles is assembled, on any device
	archsEnv  = "CUTILE_ARCHS"  // what to assemble it for, such as "sm_90,sm_100"
)

// cubins makes a GPU take its code from files, or from the place that CUTILE_CUBINS names.
func cubins(o cuda.Options, files fs.FS) (cuda.Options, error) {
	place := os.Getenv(cubinsEnv)
	if files == nil && place != "" {
		var err error
		if files, err = cuda.OpenCubins(place); err != nil {
			return o, fmt.Errorf("%s: %w", cubinsEnv, err)
		}
	}
	o.Cubins = files
	return o, nil
}

// recording reports whether CUTILE_RECORD asks to assemble code for later.
func recording() bool { return os.Getenv(recordEnv) != "" }

// record assembles code for later where CUTILE_RECORD asks for it.
func record(ctx context.Context, code *compile.Code) error {
	dir := os.Getenv(recordEnv)
	if dir == "" {
		return nil
	}
	archs := strings.Split(os.Getenv(archsEnv), ",")
	if slices.ContainsFunc(archs, func(a string) bool { return strings.TrimSpace(a) == "" }) {
		return fmt.Errorf("cutile: %s needs %s, such as sm_90,sm_100, without empty entries", recordEnv, archsEnv)
	}
	if err := cuda.Export(ctx, nil, code.Module, code.Entry, dir, archs); err != nil {
		return fmt.Errorf("cutile: %s: %w", recordEnv, err)
	}
	return nil
}
