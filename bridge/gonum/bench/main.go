// Command bench compares the time of BLAS on the CPU engine with Gonum's, in one run: it prints the times of both and their
// ratios, the less the better. Each figure is the least time of several rounds, in which both take turns.
//
//	go run ./bench [-sizes 16,64,128] [-only gemm] [-time 500ms] [-workers 2]
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/cutile-go/cutile"
	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas/gonum"
)

func main() {
	log.SetFlags(0)
	sizes := flag.String("sizes", "16,64,128,256,512,1024", "extents of the matrices")
	only := flag.String("only", "", "part of the names of what is measured")
	spend := flag.Duration("time", 500*time.Millisecond, "time for each figure, at least three rounds")
	workers := flag.Int("workers", 0, "goroutines of the CPU engine; 0 for GOMAXPROCS")
	flag.Parse()
	dev, err := cutile.Open("cpu", cutile.WithWorkers(*workers))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	ours, err := tileblas.New(dev)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%-16s %6s %12s %12s %8s\n", "", "n", "Gonum", "tileblas", "ratio")
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			log.Fatalf("bench: %q in -sizes is not a number of at least 1", text)
		}
		for _, w := range works() {
			if !strings.Contains(w.name, *only) {
				continue
			}
			with := w.prepare(n)
			theirs, our := compare(*spend, with(gonum.Implementation{}), with(ours))
			fmt.Printf("%-16s %6d %12v %12v %8.3f\n", w.name, n, round(theirs), round(our), our/theirs)
		}
	}
}

// compare gives the least times of two functions, in seconds, that take turns. They run before, so that kernels are compiled.
func compare(spend time.Duration, f, g func()) (least, leastG float64) {
	g()
	const enough = 50e-6 // for the clock
	calls := 1
	for timed(f, calls)*float64(calls) < enough {
		calls *= 2
	}
	least, leastG = math.Inf(1), math.Inf(1)
	start := time.Now()
	for round := 0; round < 3 || time.Since(start) < spend; round++ {
		least = min(least, timed(f, calls))
		leastG = min(leastG, timed(g, calls))
	}
	return least, leastG
}

// timed gives the time of one of several calls.
func timed(f func(), calls int) float64 {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start).Seconds() / float64(calls)
}

// round gives seconds as a duration of three digits or so.
func round(seconds float64) time.Duration {
	d, unit := time.Duration(seconds*1e9), time.Duration(1)
	for unit*1000 < d {
		unit *= 10
	}
	return d.Round(unit)
}

// random makes n numbers between 0 and 1.
func random[E float](n int) []E {
	s := make([]E, n)
	for i := range s {
		s[i] = E(rand.Float64())
	}
	return s
}
