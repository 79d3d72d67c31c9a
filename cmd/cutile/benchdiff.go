package main

import (
	"fmt"
	"os"

	"github.com/cutile-go/cutile/bench"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// diffReports compares the reports of two runs. They are no pairs: what changed between the runs beside the kernels counts, too.
func diffReports(c *call, args []string) error {
	if len(args) != 2 {
		return toolbox.Usagef("-diff wants two files, an old one and a new one, got %d", len(args))
	}
	var reports [2]*bench.Report
	for i, name := range args {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		reports[i], err = bench.ReadJSON(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return bench.WriteDiff(c.out, reports[0], reports[1])
}
