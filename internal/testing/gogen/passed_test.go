package gogen_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/testing/gogen"
)

// passedKernel is a host function that computes a program for the arguments of its call, and a kernel that stores what it is
// told. The kernel is told of each result, too, whether it is above 0, and changes one of which that is not true.
func passedKernel(u unit) string {
	var params, args, outs, told, tell []string
	for i, typ := range u.p.Params[1:] {
		params, args = append(params, fmt.Sprintf("a%d %s", i, typ)), append(args, fmt.Sprintf("a%d", i))
	}
	for i, typ := range u.p.Results {
		outs = append(outs, fmt.Sprintf("o%d cute.Tensor[%s]", i, memory(typ)))
		told = append(told, fmt.Sprintf("r%d %s, p%[1]d bool", i, typ))
		tell = append(tell, fmt.Sprintf("r%d, r%[1]d > 0", i))
	}
	for i := range u.p.Results {
		tell = append(tell, fmt.Sprintf("o%d", i))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc passed%d(%s) (_ cute.Kernel) {\n", u.n, strings.Join(append(told, outs...), ", "))
	for i, typ := range u.p.Results {
		fmt.Fprintf(&b, "\tif p%d != (r%[1]d > 0) {\n\t\tr%[1]d++\n\t}\n\to%[1]d.Set(%s(r%[1]d), 0)\n", i, memory(typ))
	}
	fmt.Fprintf(&b, "\treturn\n}\n\nfunc hostpassed%d(%s) {\n\t%s := %s(%s)\n", u.n, strings.Join(append(append([]string{"x int"}, params...), outs...), ", "),
		names(len(u.p.Results), func(i int) string { return fmt.Sprintf("r%d", i) }), gogen.Entry(u.n), strings.Join(append([]string{"x"}, args...), ", "))
	fmt.Fprintf(&b, "\tpassed%d(%s).Launch(cute.Launch{Block: cute.D3(1, 1, 1)})\n}\n", u.n, strings.Join(tell, ", "))
	return b.String()
}

// runPassed calls the host function for each row.
func runPassed(m *simt.Module, u unit, c caller) (results, error) {
	p, err := emu.Load(m)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	outs := make([][]byte, len(u.p.Results))
	for _, row := range c.rows {
		args := []uint64{uint64(row % gogen.Lanes)}
		for i, bits := range u.p.Tuples[row/gogen.Lanes] {
			args = append(args, argument(u.p.Params[i+1], bits))
		}
		var mem emu.Memory
		var cells [][]byte
		for i, typ := range u.p.Results {
			cells = append(cells, make([]byte, size(typ)))
			base := uint64(0x10000 * (i + 1))
			mem.Map(base, cells[i], fmt.Sprintf("o%d", i), false)
			args = append(args, base)
		}
		launch := func(l *emu.HostLaunch) (uint64, error) {
			return 0, p.Run(ctx, emu.Launch{Kernel: l.Kernel, Grid: l.Grid, Args: l.Args, Shared: l.Shared, Memory: &mem, Workers: 1})
		}
		if _, err := p.Host(ctx, args, launch, nil); err != nil {
			return nil, err
		}
		for i := range outs {
			outs[i] = append(outs[i], cells[i]...)
		}
	}
	return gather(u, c, outs), nil
}

// argument is a number as a parameter of a host function: with its sign in all bits.
func argument(typ string, bits uint64) uint64 {
	if !strings.HasPrefix(typ, "int") {
		return bits
	}
	free := 64 - 8*size(typ)
	return uint64(int64(bits<<free) >> free)
}
