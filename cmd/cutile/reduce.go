package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/internal/toolbox/reduce"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

var reduceCommand = &command{
	name: "reduce", args: "FILE", short: "make a Tile IR module smaller as long as it shows a fault",
	long: `
FILE is bytecode or text; "-" is the standard input. reduce removes operations, regions, values that loops carry,
parameters, attributes, entries and globals, and makes tiles smaller, as long as the module is valid and stays
interesting. One of these flags says what is interesting:

  -crashes        tileiras fails as it does with FILE: by the same signal, with the same exit status and the same first
                  line of its output but for numbers and names, without an end within -timeout, or with a broken result
  -differs A,B    a launch with the flags of cutile run gives other results on engine A than on engine B, or a fault on
                  one of them alone. All NaN are equal. Parameters stay.
  -test COMMAND   a program ends with exit code 0. COMMAND is its name and arguments, separated by blanks; the name of a
                  file with the module as text is added to them, beside which lies bytecode in a file with bc at the end
                  of its name

Engines are interpreter, cpu, the levels of machine code such as avx2, own:sm_80 and the like for PTX of our own
compiler on the emulator, and devices such as cuda:0 or vulkan:0.

The result is text, or bytecode where -o names a file that ends in .tileirbc. With -o, the smallest module so far is
in the file at any time. When reduce is interrupted, or has used all tests, it gives the smallest module that it found.`,
	setup: func(fs *flag.FlagSet) action {
		r := &reduction{launch: newLaunch(fs)}
		fs.BoolVar(&r.crashes, "crashes", false, "ask whether tileiras fails")
		fs.StringVar(&r.differs, "differs", "", "ask whether two `engines` differ")
		fs.StringVar(&r.command, "test", "", "ask a `command`")
		fs.StringVar(&r.target, "target", "sm_100", "for -crashes: the `architecture`")
		fs.StringVar(&r.options, "options", "", "for -crashes: further `options` of tileiras, separated by blanks")
		fs.StringVar(&r.version, "version", "", "for -crashes and -test: bytecode `version`; by default that of FILE, or the oldest from 13.2 on that supports the module")
		fs.Float64Var(&r.tolerance, "tolerance", 0, "for -differs: the greatest relative `difference` of floats that counts as none")
		fs.DurationVar(&r.timeout, "timeout", time.Minute, "the `time` that a test may take; 0 for any")
		fs.IntVar(&r.tests, "tests", reduce.DefaultTests, "the greatest `number` of tests")
		fs.BoolVar(&r.params, "params", false, "keep the parameters of entries")
		fs.StringVar(&r.out, "o", "", "write to this `file`; by default, and for \"-\", to the standard output")
		return func(c *call, args []string) error { return r.run(c, args) }
	},
}

// reduction is one run of the command.
type reduction struct {
	launch                            *modrun.Launch
	crashes, params                   bool
	differs, command, target, options string
	version, out                      string
	tolerance                         float64
	timeout                           time.Duration
	tests                             int
}

func (r *reduction) run(c *call, args []string) error {
	name, err := one("file", args)
	if err != nil {
		return err
	}
	if r.tests < 1 || r.timeout < 0 || !(r.tolerance >= 0) || math.IsInf(r.tolerance, 0) {
		return toolbox.Usagef("-tests is at least 1, and -timeout and -tolerance are numbers of 0 or more")
	}
	asked := 0
	for _, given := range []bool{r.crashes, r.differs != "", r.command != ""} {
		if given {
			asked++
		}
	}
	if asked != 1 {
		return toolbox.Usagef("want one of -crashes, -differs and -test, got %d", asked)
	}
	in, err := toolbox.ReadSound(c.in, name)
	if err != nil {
		return err
	}
	v, err := toolbox.Version(r.version)
	if err != nil {
		return err
	}
	if v == 0 {
		v = in.Version
	}
	if v == 0 {
		v = toolbox.OldestFor(in.Module)
	}
	q, err := r.question(c, v)
	if err != nil {
		return err
	}
	defer q.close()
	return r.reduce(c, in, v, q)
}

// question is what is asked of modules.
type question struct {
	test   reduce.Test
	said   func() string // what the first module shows; "" for nothing
	boring string        // what it means that the first module is not interesting
	close  func()
}

// question makes the question that the flags ask.
func (r *reduction) question(c *call, v tileir.Version) (*question, error) {
	q := &question{said: func() string { return "" }, close: func() {}}
	switch {
	case r.crashes:
		tool, err := toolchain.Find(toolchain.Tileiras)
		if err != nil {
			return nil, err
		}
		t := &reduce.Crashing{Tool: tool, Version: v, Target: r.target, Options: strings.Fields(r.options), Limit: r.timeout}
		q.test, q.said, q.boring = t.Test, t.Failure, "tileiras makes code of it for "+r.target
	case r.differs != "":
		d := &reduce.Differing{Launch: r.launch, Tolerance: r.tolerance, Limit: r.timeout}
		list := strings.Split(r.differs, ",")
		if len(list) != 2 {
			return nil, toolbox.Usagef("-differs: want two engines, as in interpreter,cpu: they are %s", reduce.EngineNames())
		}
		var opened []*reduce.Engine
		q.close = func() {
			for _, e := range opened {
				if e.Close != nil {
					e.Close()
				}
			}
		}
		for i, name := range list {
			e, err := reduce.OpenEngine(strings.TrimSpace(name))
			if err != nil {
				q.close()
				return nil, err
			}
			opened, d.Engines[i] = append(opened, e), e
		}
		r.params = true
		q.test, q.said, q.boring = d.Test, d.Difference, "its results are the same on "+list[0]+" and "+list[1]
	default:
		words, err := reduce.Words(r.command)
		if err != nil {
			return nil, err
		}
		t := &reduce.Command{Words: words, Version: v, Limit: r.timeout}
		q.test, q.boring = t.Test, words[0]+" does not end with exit code 0"
	}
	return q, nil
}

// reduce makes the module smaller and writes it.
func (r *reduction) reduce(c *call, in *toolbox.File, v tileir.Version, q *question) error {
	toFile := r.out != "" && r.out != "-"
	o := reduce.Options{Version: v, Tests: r.tests, KeepParams: r.params}
	if toFile {
		o.Found = func(m *tileir.Module) error { return r.write(m, v) }
	}
	said := false
	m, stats, err := reduce.Module(c.ctx, in.Module, o, func(ctx context.Context, m *tileir.Module) (bool, error) {
		ok, err := q.test(ctx, m)
		if ok && !said && q.said() != "" {
			fmt.Fprintf(c.err, "%s: %s\n", in.Name, q.said())
		}
		said = true
		return ok, err
	})
	switch {
	case errors.Is(err, reduce.ErrBoring):
		return fmt.Errorf("%s is not interesting: %s", in.Name, q.boring)
	case err != nil:
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	fmt.Fprintf(c.err, "%s became %s in %s\n", names.Plural(stats.Before, "operation"), names.Digits(int64(stats.After)), names.Plural(stats.Tests, "test"))
	if stats.Stopped && c.ctx.Err() == nil {
		fmt.Fprintf(c.err, "all tests are used: give more with -tests, or reduce the result\n")
	}
	if toFile {
		err = r.write(m, v)
	} else {
		err = text.Print(c.out, m, text.PrintOptions{})
	}
	return errors.Join(err, c.ctx.Err())
}

// write writes the file, in the form that its name asks for.
func (r *reduction) write(m *tileir.Module, v tileir.Version) error {
	data := []byte(text.Sprint(m))
	if strings.HasSuffix(r.out, ".tileirbc") {
		var err error
		if data, err = bytecode.Write(m, v, bytecode.Options{}); err != nil {
			return err
		}
	}
	return store.WriteFile(r.out, data)
}
