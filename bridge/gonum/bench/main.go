// Command bench compares the time of products of matrices on the CPU engine with Gonum's, in one run: it prints the times of both
// and their ratios, the less the better. Each figure is the least time of several rounds, in which both take turns.
//
//	go run ./bench [-sizes 16,64,128] [-only gemm] [-time 500ms] [-workers 2]
package main

import (
	"flag"
	"fmt"
	"log"
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
		for _, w := range works {
			if !strings.Contains(w.name, *only) {
				continue
			}
			run := w.prepare(n)
			theirs, our := compare(*spend, func() { run(gonum.Implementation{}) }, func() { run(ours) })
			fmt.Printf("%-16s %6d %12v %12v %8.3f\n", w.name, n, round(theirs), round(our), float64(our)/float64(theirs))
		}
	}
}

// compare gives the least times of two functions that take turns. They run once before.
func compare(spend time.Duration, f, g func()) (least, leastG time.Duration) {
	f()
	g()
	least, leastG = time.Hour, time.Hour
	start := time.Now()
	for round := 0; round < 3 || time.Since(start) < spend; round++ {
		least = min(least, timed(f))
		leastG = min(leastG, timed(g))
	}
	return least, leastG
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// round leaves three digits or so.
func round(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for unit*1000 < d {
		unit *= 10
	}
	return d.Round(unit)
}

// random makes n numbers between 0 and 1.
func random[E float32 | float64](n int) []E {
	s := make([]E, n)
	for i := range s {
		s[i] = E(rand.Float64())
	}
	return s
}
