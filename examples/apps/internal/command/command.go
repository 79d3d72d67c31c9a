// Package command parses the command lines of these programs, which all answer mistakes and -help in the same way.
package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// Parse parses flags and returns the arguments behind them. For -help it writes about, which ends with a line break, and the flags to out, and returns
// flag.ErrHelp. A mistake is an error, which nothing has printed yet.
func Parse(flags *flag.FlagSet, args []string, out io.Writer, about string) (rest []string, err error) {
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		Usage(flags, out, about)
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w; -help lists the flags", err)
	}
	return flags.Args(), nil
}

// Usage writes what -help writes.
func Usage(flags *flag.FlagSet, out io.Writer, about string) {
	fmt.Fprint(out, about)
	flags.SetOutput(out)
	flags.PrintDefaults()
}
