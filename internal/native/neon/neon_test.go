package neon_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/neon"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/testing/nativetest"
)

var backend = nativetest.Backend{
	Level: host.LevelNEON,
	Compile: func(f *vec.Func) ([]byte, int, int, error) {
		c, err := neon.New(host.LevelNEON)
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
		var no *neon.Unsupported
		return errors.As(err, &no)
	},
}

// TestMachine compares code with the evaluator. There is code for every instruction.
func TestMachine(t *testing.T) { nativetest.Run(t, backend) }
