package bench_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/bench"
	"github.com/cutile-go/cutile/cute"
)

// A kernel of package tile beside one of package cute, with the same results.
func ExampleCompare() {
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.Arange[float32](dev, 0, 1000, 1)
	y, _ := cutile.Full[float32](dev, 1, 1000)
	z, _ := cutile.NewTensor[float32](dev, 1000)
	cases := []bench.Case{
		{Name: "tiles", Work: cutile.Work{On: dev, Kernel: add, Args: []any{x, y, z}}},
		{Name: "threads", Work: cutile.Work{On: dev, Run: func() error {
			return threads(cute.Of[float32](x), cute.Of[float32](y), cute.Of[float32](z))
		}}},
	}
	for i := range cases {
		cases[i].Outputs = []cutile.Output{z}
	}
	report, err := bench.Compare(context.Background(), cases, bench.Options{Check: true, Rounds: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range report.Rows[0].Results {
		fmt.Printf("%s: %d samples; %d bytes are known to move\n", r.Name, r.Samples, r.Bytes)
	}
	// Output:
	// tiles: 3 samples; 12000 bytes are known to move
	// threads: 3 samples; 0 bytes are known to move
}
