package device

import (
	"errors"
	"fmt"
)

// ErrClosed is the error of every use of what was closed.
var ErrClosed = errors.New("closed")

// ErrFrozen is the error of every write to memory that was frozen.
var ErrFrozen = errors.New("frozen: its elements must not change, use a copy")

// Of is an error of another thing than the one that was called, such as the graph that a stream replays.
type Of struct {
	What string
	Err  error // ErrClosed or ErrFrozen
}

// Error is "the graph is closed".
func (e *Of) Error() string { return e.What + " is " + e.Err.Error() }

// Unwrap gives what the thing is.
func (e *Of) Unwrap() error { return e.Err }

// On is an error of work of a device, for those who are told of it by another one.
type On struct {
	Dev *Device
	Err error
}

// Error is the error's text.
func (e *On) Error() string { return e.Err.Error() }

// Unwrap gives the error.
func (e *On) Unwrap() error { return e.Err }

// Named adds to an error which thing it is about. An error that is a T says so itself and stays as it is, and an [Of] names its thing.
func Named[T error](what string, err error) error {
	var told T
	var of *Of
	switch {
	case err == nil:
		return nil
	case errors.As(err, &of):
		return fmt.Errorf("cutile: %w", of)
	case errors.Is(err, ErrClosed):
		return fmt.Errorf("cutile: %s is %w", what, ErrClosed)
	case errors.Is(err, ErrFrozen):
		return fmt.Errorf("cutile: %s is %w", what, ErrFrozen)
	case errors.As(err, &told):
		return err
	}
	return fmt.Errorf("cutile: %s: %w", what, err)
}
