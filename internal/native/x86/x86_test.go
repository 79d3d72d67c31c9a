package x86_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/x86"
	"github.com/cutile-go/cutile/internal/testing/nativetest"
)

// levels are the levels with code that this machine can run.
func levels(t testing.TB) (out []host.Level) {
	for _, l := range []host.Level{host.LevelAVX2, host.LevelAVX512} {
		if host.Machine().Features.Has(l.Requires()) && runtime.GOARCH == "amd64" {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		t.Skip("this machine runs no code of this package")
	}
	return out
}

// backend is the back end at a level.
func backend(l host.Level) nativetest.Backend {
	return nativetest.Backend{
		Level: l,
		Compile: func(f *vec.Func) ([]byte, int, int, error) {
			c, err := x86.New(l)
			if err != nil {
				return nil, 0, 0, err
			}
			if _, err := c.Add(f); err != nil {
				return nil, 0, 0, err
			}
			code, list, err := c.Finish()
			if err != nil {
				return nil, 0, 0, err
			}
			return code, list[0].Offset, list[0].Words, nil
		},
		Lacks: func(err error) bool {
			var no *x86.Unsupported
			return errors.As(err, &no)
		},
	}
}

// TestMachine compares the code of each level with the evaluator. There is code for every instruction.
func TestMachine(t *testing.T) {
	for _, l := range levels(t) {
		t.Run(l.String(), func(t *testing.T) { nativetest.Run(t, backend(l)) })
	}
}
