package cutile

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/tilec/compile"
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

// recordTargets is what CUTILE_ARCHS asks for where CUTILE_RECORD names a folder.
func recordTargets() (targets []string, err error) {
	if !recording() {
		return nil, nil
	}
	targets = strings.Split(os.Getenv(archsEnv), ",")
	for i, t := range targets {
		if targets[i] = strings.TrimSpace(t); targets[i] == "" {
			return nil, fmt.Errorf("%s needs %s, such as sm_90,sm_100, without empty entries", recordEnv, archsEnv)
		}
	}
	if err := cuda.CheckTargets(targets); err != nil {
		return nil, fmt.Errorf("%s: %w", archsEnv, err)
	}
	return targets, nil
}

// record assembles code for later where CUTILE_RECORD asks for it. Open has checked the variables, but a program may set
// them afterwards.
func record(ctx context.Context, code *compile.Code) error {
	targets, err := recordTargets()
	if err != nil {
		return fmt.Errorf("cutile: %w", err)
	}
	if targets == nil {
		return nil
	}
	if err := cuda.Export(ctx, nil, code.Module, code.Entry, os.Getenv(recordEnv), targets); err != nil {
		return fmt.Errorf("cutile: %s: %w", recordEnv, err)
	}
	return nil
}
