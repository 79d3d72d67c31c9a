package cute

import (
	"io"

	"github.com/cutile-go/cutile/internal/simtc/run"
)

// Options are the options of a compilation; the zero value holds the defaults. The environment variable CUTILE_CUTE_OPTIONS
// sets options that a program leaves unset, in the form of [ParseOptions]. Options are part of a program's key in caches,
// except those that only affect output: Dump, Log, Time and PrintIR.
type Options struct {
	Opt        Opt    // opt-level: the level of optimisation; the default is O3
	Assertions bool   // assertions: keep assertions in kernels; see [Assert]
	Straight   bool   // straight: no dynamic control flow; see [Straight]
	Arch       string // arch: the architecture to generate code for, such as "sm_90a", instead of the device's own
	DryRun     bool   // dry-run: stop after the module is made
	NoRun      bool   // compile-only: run nothing, and do not keep the compiled code
	NoCache    bool   // no-cache: neither look in caches, nor keep what is made
	PrintIR    bool   // print-ir: print the module
	Dump       string // dump: a folder to write the module, PTX and machine code to
	KeepPTX    bool   // keep-ptx: make PTX even if the device does not need it
	KeepCubin  bool   // keep-cubin: have NVIDIA's ptxas make machine code, and use that
	Log        bool   // log: report each step
	Time       bool   // time: report how long each stage takes
	Strict     bool   // warnings-as-errors: report warnings as errors
	Attrs      string // attrs: attributes of the GPU module, "name=value" separated by ;
	Pipeline   string // pipeline: the stages after the module is made, instead of the default ones; see [ParsePipeline]

	Output io.Writer // where the compiler prints; nil means the standard output; a failed write is an error of the compilation
}

// Opt is a level of optimisation.
type Opt = run.Opt

// The levels of optimisation.
const (
	O0 = run.O0
	O1 = run.O1
	O2 = run.O2
	O3 = run.O3
)

func (o Options) apply(to *Options) { *to = Options(run.Options(o).Or(run.Options(*to))) }

// ParseOptions parses names of options, with = and a value if they have one, separated by blanks: "opt-level=2 assertions
// dump=folder". The names are those in the comments of [Options].
func ParseOptions(text string) (Options, error) {
	o, err := run.ParseOptions(text)
	return Options(o), err
}

// String returns the options in the form that [ParseOptions] reads; equal options have equal texts.
func (o Options) String() string { return run.Options(o).String() }

// Stages lists the stages that a module goes through by name: verify, optimise, ptx, read (run the text, on the CPU), assemble.
type Stages = run.Stages

// ParsePipeline parses the names of stages, separated by commas. An unknown name is an error.
func ParsePipeline(text string) (Stages, error) { return run.ParsePipeline(text) }

// Stats counts what the compiler did in this process.
type Stats struct {
	Evaluated int64 // runs of the front end, one for each set of static arguments
	Compiled  int64 // programs made from a module
	Hits      int64 // cache hits: modules for which there was already a program
	Assembled int64 // PTX or machine code made
	Found     int64 // PTX or machine code found in the cache folder instead
	Loaded    int64 // programs loaded on a device
	Unloaded  int64 // programs unloaded
}

// CompileStats returns the current counts.
func CompileStats() Stats { return Stats(run.StatsNow()) }
