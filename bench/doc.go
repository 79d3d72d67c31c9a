// Package bench measures work on a device next to other work: kernels of package cutile, functions of package cute, and whatever else a
// [cutile.Work] is.
//
// [Compare] measures several cases in one run. It compiles them and runs them until they are steady. Then it runs them in rounds: each round
// times every case once, in random order, so that noise of the machine hits all alike, and the ratio of two times of a round is free of most of
// it. Times are those between two events of the device, and short launches are queued so many times between them that a sample takes
// milliseconds. It ends when the ratios are known well enough, or with the budget.
//
//	report, err := bench.Compare(ctx, []bench.Case{
//		{Name: "small", Work: cutile.Work{On: dev, Kernel: gemm[tile.D64, tile.D64, tile.D32], Args: []any{a, b, c}}},
//		{Name: "large", Work: cutile.Work{On: dev, Kernel: gemm[tile.D128, tile.D128, tile.D32], Args: []any{a, b, c}}},
//	}, bench.Options{})
//	report.WriteTable(os.Stdout)
//
// [Sweep] does so for each value of a parameter. [Roof] measures what the device can do, and with it as [Options].Roof each result says what
// part of that it reaches, and whether memory or arithmetic bounds it. A [Report] is written as a table, as JSON ([Report.WriteJSON]) and as
// plots ([Report.WriteSVG], [Report.WriteRoof]).
package bench
