package cute

import (
	"io"

	"github.com/cutile-go/cutile/internal/simtc/run"
)

// Options are the choices for a compilation; the zero value is the usual one. The environment variable CUTILE_CUTE_OPTIONS
// adds what a program does not say, in the form of [ParseOptions]. Options are part of what names a program in caches, but
// for those that only say what is done: Dump, Log, Time and PrintIR.
type Options struct {
	Opt        Opt    // opt-level: how much is done to make code shorter; the usual level is O3
	Assertions bool   // assertions: keep those of kernels, see [Assert]
	Straight   bool   // straight: no dynamic control flow, see [Straight]
	Arch       string // arch: the architecture to make code for, such as "sm_90a", in place of the device's own
	DryRun     bool   // dry-run: stop after the module is made
	NoRun      bool   // compile-only: run nothing; what is compiled is not kept either
	NoCache    bool   // no-cache: neither look for what was made before, nor keep what is made
	PrintIR    bool   // print-ir: print the module
	Dump       string // dump: a folder to write the module, PTX and machine code to
	KeepPTX    bool   // keep-ptx: make PTX where the device does not need it, too
	KeepCubin  bool   // keep-cubin: have NVIDIA's ptxas make machine code, and use that
	Log        bool   // log: say what is done
	Time       bool   // time: say how long each stage takes
	Strict     bool   // warnings-as-errors: what would be a warning is a mistake
	Attrs      string // attrs: attributes of the GPU module, "name=value" with ; between
	Pipeline   string // pipeline: the stages after the module is made, in place of the usual ones; see [ParsePipeline]

	Output io.Writer // where compiling prints; nil is the standard output; what cannot be written is an error of the compilation
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

// ParseOptions reads names of options, with = and a value where they have one, and blanks between: "opt-level=2 assertions
// dump=folder". The names are those in the comments of [Options].
func ParseOptions(text string) (Options, error) {
	o, err := run.ParseOptions(text)
	return Options(o), err
}

// String is the options as [ParseOptions] reads them, the same text for the same options.
func (o Options) String() string { return run.Options(o).String() }

// Stages is the names of the stages that a module goes through: verify, optimise, ptx, read (run the text, on the CPU), assemble.
type Stages = run.Stages

// ParsePipeline reads the names of stages with commas between. A name that is none is an error.
func ParsePipeline(text string) (Stages, error) { return run.ParsePipeline(text) }

// Stats counts what the compiler did in this process.
type Stats struct {
	Evaluated int64 // runs of the front end: one for each set of static arguments
	Compiled  int64 // programs that were made of a module
	Hits      int64 // modules for which there was a program
	Assembled int64 // PTX or machine code that was made
	Found     int64 // PTX or machine code that was found in the cache folder instead
	Loaded    int64 // programs loaded on a device
	Unloaded  int64 // and unloaded
}

// CompileStats gives the counts so far.
func CompileStats() Stats { return Stats(run.StatsNow()) }
