package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// workEnv is the list of workloads where the command does not name them.
const workEnv = "CUTILE_BENCH"

// options are those of the command.
type options struct {
	timing
	ways        []string
	list        string // the workloads as text
	work        []workload
	cubins      string
	interpreter string
	limit       time.Duration
	software    bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout))
}

// run runs the command and gives its exit status: 0, 1 if a result is wrong or missing, or 2 for a mistake in the arguments.
func run(ctx context.Context, args []string, stdout io.Writer) int {
	var o options
	flags := flag.NewFlagSet("gpubench", flag.ContinueOnError)
	chosen := flags.String("ways", "tileiras,own,vulkan,cublas,triton,torch", "what is measured; cpu is the CPU engine")
	one := flags.String("way", "", "measure one way in this process, and write rows in JSON")
	flags.StringVar(&o.list, "work", cmp.Or(os.Getenv(workEnv), usual), "the workloads with their extents; the environment variable "+workEnv+" has the default")
	flags.StringVar(&o.cubins, "cubins", "", "a folder or archive with code that was recorded, of tileiras, where it is not installed, and perhaps of our own compiler")
	flags.StringVar(&o.interpreter, "python", "python3", "a Python that may have torch and Triton")
	flags.IntVar(&o.rounds, "rounds", 9, "how many runs, of which the median counts; 0 only compares results")
	flags.DurationVar(&o.each, "each", 50*time.Millisecond, "how long a run takes at least, by the number of its launches")
	flags.DurationVar(&o.slow, "slow", 20*time.Second, "the time after which no further run of a workload begins")
	flags.DurationVar(&o.limit, "limit", 10*time.Minute, "the time after which the process of a way is ended")
	flags.BoolVar(&o.software, "software", false, "measure software drivers for Vulkan, too")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	o.ways = strings.Split(*chosen, ",")
	var err error
	if o.work, err = parse(o.list); err == nil && *one != "" {
		err = o.serve(ctx, *one, stdout)
	} else if err == nil {
		var rows []row
		if rows, err = o.collect(ctx); err == nil && o.report(stdout, rows) {
			return 1
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpubench:", err)
		return 2
	}
	return 0
}
