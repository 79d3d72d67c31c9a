package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// listing is one of the seed's listings: a program shows it, or a sentence says where it is shown.
type listing struct {
	title string // title in the seed
	show  func() error
	why   string
}

const traced = "The test runs the program on a driver in host memory and compares its calls with testdata/trace.txt."

var listings = []listing{
	{"CuTeDSL: one object behind all functions", shared, ""},
	{"jit and jit_runner: what wraps a function", wrapped, ""},
	{"ExecutionEngine: lookup and invoke", executed, ""},
	{"gpu.launch_func: the call site, and kernels by number", module, ""},
	{"update_jit_cuda_modules: load, look up, set an attribute", nil, traced},
	{"launch_kernel: cuLaunchKernel", nil, traced},
	{"The flow through the compiler, and its pipeline", flow, ""},
	{"User code: two forms of a launch", nil,
		"There is one form, kernel(x).Launch(cute.Launch{...}): a kernel returns a struct, and only functions can be called in Go."},
	{"User code: preprocess=False", straight, ""},
}

// since calls a program and returns the compiler's work for it.
func since(program func() error) (s cute.Stats, err error) {
	before := cute.CompileStats()
	err = program()
	after := cute.CompileStats()
	return cute.Stats{Evaluated: after.Evaluated - before.Evaluated, Compiled: after.Compiled - before.Compiled, Hits: after.Hits - before.Hits}, err
}

// shown counts the calls of shared, so that different attributes make each program new.
var shown int

// shared wraps a function twice. The module is made twice and is the same, so the program is made only once.
func shared() error {
	shown++
	own := cute.Options{Attrs: fmt.Sprintf("shown=%d", shown)}
	return onVector(100, func(x *cutile.Tensor[float32]) error {
		for range 2 {
			s, err := since(func() error { return cute.Jit(twoLaunches, own)(cute.Of[float32](x)) })
			if err != nil {
				return err
			}
			fmt.Printf("evaluated %d, compiled %d, found %d\n", s.Evaluated, s.Compiled, s.Hits)
		}
		return nil
	})
}

func wrapped() error {
	return onVector(100, func(x *cutile.Tensor[float32]) error {
		var call func(cute.Tensor[float32]) error
		programs := []func() error{
			func() error { call = cute.Jit(twoLaunches); return nil },
			func() error { return call(cute.Of[float32](x)) },
			func() error { return call(cute.Of[float32](x)) },
		}
		for i, what := range []string{"wrapped", "first call", "second call"} {
			s, err := since(programs[i])
			if err != nil {
				return err
			}
			fmt.Printf("%s: evaluated %d\n", what, s.Evaluated)
		}
		fmt.Println(reflect.TypeOf(call) == reflect.TypeOf(twoLaunches))
		return nil
	})
}

func executed() error {
	_, err := cute.Compile(context.Background(), add, 1, 2)
	fmt.Println(err)
	e, err := cute.Compile(context.Background(), cute.Jit(add), 1, 2)
	if err != nil {
		return err
	}
	defer e.Close()
	for _, args := range [][]any{{3, 4}, {-5, 7}, {6}} {
		fmt.Print(args, " ")
		fmt.Println(e.Run(context.Background(), args...))
	}
	return nil
}

// module prints the lines of the module outside function bodies.
func module() error {
	return onVector(100, func(x *cutile.Tensor[float32]) error {
		e, err := cute.Compile(context.Background(), cute.Jit(twoLaunches), x)
		if err != nil {
			return err
		}
		defer e.Close()
		for line := range strings.Lines(e.Module().Text()) {
			if strings.Contains(line, "gpu.") || strings.Contains(line, "func.") || strings.HasSuffix(line, "}\n") {
				fmt.Print(line)
			}
		}
		return nil
	})
}

// flow prints the stages of a compilation for a GPU, shows that a second run has none, and then leaves out a stage.
func flow() error {
	return onVector(100, func(x *cutile.Tensor[float32]) error {
		for _, o := range []cute.Options{{Arch: "sm_90a", KeepPTX: true}, {Arch: "sm_90a", Pipeline: "verify,ptx"}} {
			o.Log, o.Output = true, os.Stdout
			fmt.Println(o)
			e, err := cute.Compile(context.Background(), cute.Jit(twoLaunches, o), x)
			if err != nil {
				return err
			}
			for range 2 {
				if _, err := e.Run(context.Background(), x); err != nil {
					return err
				}
			}
			if err := e.Close(); err != nil {
				return err
			}
		}
		_, err := cute.ParsePipeline("verify,cute-to-nvvm")
		fmt.Println(err)
		return nil
	})
}

// straight compiles without dynamic control flow: the loop is unrolled, and a dynamic condition is refused.
func straight() error {
	if err := cute.Jit(turns, cute.Straight)(2, cute.C(false)); err != nil {
		return err
	}
	err := cute.Jit(turns, cute.Straight)(2, cute.C(true))
	if err == nil {
		return fmt.Errorf("the condition is taken")
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Println(text[strings.LastIndex(text, "kernels.go"):])
	return nil
}
