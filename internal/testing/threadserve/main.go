// Command threadserve is "cutile serve" whose kernels run as PTX of our own compiler on the emulator, for the architecture that the
// environment variable CUTILE_THREADS names.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/serve"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

func main() {
	arch := os.Getenv("CUTILE_THREADS")
	if len(os.Args) < 2 || os.Args[1] != "serve" || arch == "" {
		fmt.Fprintln(os.Stderr, "usage: CUTILE_THREADS=ARCH threadserve serve")
		os.Exit(2)
	}
	open := func(o cpu.Options) serve.Device { return threadtest.NewDevice(arch, threads.Options{}, o) }
	if err := serve.Serve(context.Background(), os.Stdin, os.Stdout, serve.Options{Open: open}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
