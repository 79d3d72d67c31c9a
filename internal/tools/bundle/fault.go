package bundle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/engine"
)

// Fault is an error with what became of its folder.
type Fault struct {
	Err    error
	Bundle string // the folder; "" for none
	Failed error  // why there is none, though it was asked for
}

// Error is the error's text, and where the folder is.
func (f *Fault) Error() string { return f.Err.Error() + f.Words() }

// Unwrap is the error.
func (f *Fault) Unwrap() error { return f.Err }

// Folder implements [engine.Bundled].
func (f *Fault) Folder() string { return f.Bundle }

// Words say where the folder is, for the end of a message.
func (f *Fault) Words() string { return Words(f.Bundle, f.Failed) }

// Words say where a folder is, or why there is none, for the end of a message; "" where nobody asked for it.
func Words(folder string, failed error) string {
	switch {
	case failed != nil:
		return "; the files to reproduce it could not be written: " + failed.Error()
	case folder != "":
		return "; the files to reproduce it are in " + folder
	}
	return ""
}

// Advice is what to do about a fault of ours, for the end of a message; "" where [Words] say it.
func Advice() string {
	if Asked() {
		return ""
	}
	return "; CUTILE_DEBUG=bundle=FOLDER keeps what is needed to report it"
}

// Ours reports whether an error is a fault of ours, and gives its stack where it has one.
func Ours(err error) (stack string, ours bool) {
	var panicked *cache.Panic
	var fault *engine.Fault
	switch {
	case err == nil:
		return "", false
	case errors.As(err, &panicked):
		return string(panicked.Stack), true
	case errors.As(err, &fault) && fault.Stack != "":
		return fault.Stack, true
	}
	return "", strings.Contains(err.Error(), "BUG: ")
}

// Keep writes the folder of an error that is a fault of ours, and adds where it is. Other errors stay as they are, and so does one that
// has a folder.
func Keep(err error, report func() *Report) error {
	stack, ours := Ours(err)
	var kept engine.Bundled
	if !ours || !Asked() || errors.As(err, &kept) && kept.Folder() != "" {
		return err
	}
	f := &Fault{Err: err}
	r, failed := attemptReport(report)
	if failed != nil {
		f.Failed = failed
		return f
	}
	r.Fault, r.Trace = firstOf(err.Error(), stack), stack
	f.Bundle, f.Failed = r.Write()
	if f.Failed != nil {
		f.Bundle = ""
	}
	return f
}

func attemptReport(report func() *Report) (r *Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("BUG: collecting them panicked: %v", p)
		}
	}()
	return report(), nil
}

// firstOf is a message without the stack that ends it.
func firstOf(message, stack string) string {
	if stack != "" {
		message = strings.ReplaceAll(message, strings.TrimSpace(stack), "")
	}
	return strings.TrimSpace(message)
}
