package device

import (
	"errors"
	"fmt"
)

// ErrClosed is the error of every use of what was closed.
var ErrClosed = errors.New("closed")

// ErrFrozen is the error of every write to memory that was frozen.
var ErrFrozen = errors.New("frozen: its elements must not change, use a copy")

// Named adds to an error which thing it is about. An error that is a T says so itself and stays as it is.
func Named[T error](what string, err error) error {
	var told T
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrClosed):
		return fmt.Errorf("cutile: %s is %w", what, ErrClosed)
	case errors.Is(err, ErrFrozen):
		return fmt.Errorf("cutile: %s is %w", what, ErrFrozen)
	case errors.As(err, &told):
		return err
	}
	return fmt.Errorf("cutile: %s: %w", what, err)
}
