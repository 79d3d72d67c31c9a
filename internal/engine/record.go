package engine

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// The environment variables with which a program keeps the code of its kernels for machines that have no compiler.
const (
	recordEnv = "CUTILE_RECORD" // a folder to which the code of every kernel that the program compiles is added, on any device
	archsEnv  = "CUTILE_ARCHS"  // the targets of that code, such as "sm_90,sm_100"
)

// Recording reports whether CUTILE_RECORD asks to keep code for later.
func Recording() bool { return os.Getenv(recordEnv) != "" }

// CheckRecord refuses settings of CUTILE_RECORD and CUTILE_ARCHS that are mistakes.
func CheckRecord() error {
	_, _, err := recordTargets()
	return err
}

// Record makes code for later where CUTILE_RECORD asks for it. A program may set the variables after [CheckRecord].
func Record(ctx context.Context, m *tileir.Module, entry string) error {
	to, targets, err := recordTargets()
	if err != nil || targets == nil {
		return err
	}
	if err := to.Record(ctx, m, entry, os.Getenv(recordEnv), targets); err != nil {
		return fmt.Errorf("%s: %w", recordEnv, err)
	}
	return nil
}

// recordTargets is what CUTILE_ARCHS asks for where CUTILE_RECORD names a folder.
func recordTargets() (to Exporter, targets []string, err error) {
	if !Recording() {
		return nil, nil, nil
	}
	targets = strings.Split(os.Getenv(archsEnv), ",")
	for i, t := range targets {
		if targets[i] = strings.TrimSpace(t); targets[i] == "" {
			return nil, nil, fmt.Errorf("%s needs %s, such as sm_90,sm_100, without empty entries", recordEnv, archsEnv)
		}
	}
	if to, err = Ahead(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", recordEnv, err)
	}
	if err := to.CheckTargets(targets); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", archsEnv, err)
	}
	return to, targets, nil
}
