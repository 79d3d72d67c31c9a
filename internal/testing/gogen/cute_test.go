package gogen_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"go/types"
	"strings"

	_ "github.com/cutile-go/cutile/cute"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/opt"
	"github.com/cutile-go/cutile/internal/simtc/eval"
	"github.com/cutile-go/cutile/internal/testing/gogen"
)

// cuteLevel has kernels of one block: x of the thread is the lane, y the set of arguments, which are read from memory.
var cuteLevel = &level{path: "gogen/cute", imports: "github.com/cutile-go/cutile/cute", unrolled: "cute.Unroll($1)", kernel: cuteKernel, prefix: "host"}

func cuteKernel(u unit, c caller) string {
	if c.passed {
		return passedKernel(u)
	}
	var params, args []string
	add := func(name, typ string) {
		params, args = append(params, fmt.Sprintf("%s cute.Tensor[%s]", name, memory(typ))), append(args, name)
	}
	for i, typ := range u.p.Params[1:] {
		if c.known>>i&1 == 0 {
			add(fmt.Sprintf("a%d", i), typ)
		}
	}
	for i, typ := range u.p.Results {
		add(fmt.Sprintf("o%d", i), typ)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc %s%d(%s) (_ cute.Kernel) {\n", c.name, u.n, strings.Join(params, ", "))
	call := func(row int, lane, set, at string) {
		tuple := u.p.Tuples[row/gogen.Lanes]
		fmt.Fprintf(&b, "\t{\n\t\t%s := %s(%s, %s)\n", names(len(u.p.Results), func(i int) string { return fmt.Sprintf("r%d", i) }), gogen.Entry(u.n), lane,
			names(len(tuple), func(i int) string {
				typ := u.p.Params[i+1]
				switch {
				case c.known>>i&1 == 1:
					return literal(typ, tuple[i])
				case typ == "bool":
					return fmt.Sprintf("a%d.At(%s) != 0", i, set)
				}
				return fmt.Sprintf("%s(a%d.At(%s))", typ, i, set)
			}))
		for i, typ := range u.p.Results {
			fmt.Fprintf(&b, "\t\to%d.Set(%s(r%d), %s)\n", i, memory(typ), i, at)
		}
		b.WriteString("\t}\n")
	}
	block := fmt.Sprintf("%d, %d, 1", gogen.Lanes, len(c.rows)/gogen.Lanes)
	if c.static {
		block = "1, 1, 1"
		for i, row := range c.rows {
			call(row, fmt.Sprint(row%gogen.Lanes), "", fmt.Sprint(i))
		}
	} else {
		call(c.rows[0], "cute.ThreadIdx().X", "cute.ThreadIdx().Y", fmt.Sprintf("cute.ThreadIdx().Y*%d+cute.ThreadIdx().X", gogen.Lanes))
	}
	b.WriteString("\treturn\n}\n")
	fmt.Fprintf(&b, "\nfunc host%s%d(%s) {\n\t%s%d(%s).Launch(cute.Launch{Block: cute.D3(%s)})\n}\n", c.name, u.n, strings.Join(params, ", "),
		c.name, u.n, strings.Join(args, ", "), block)
	return b.String()
}

// judgeSIMT evaluates a kernel, and runs it before and after it is optimised.
func judgeSIMT(w *world.World, path string, u unit, c caller, want results) verdict {
	w.Lock()
	defer w.Unlock()
	fn, err := function(w, path, fmt.Sprintf("host%s%d", c.name, u.n))
	if err != nil {
		return refusal(err)
	}
	in := &eval.Input{World: w, Host: fn, Name: "gogen", Symbol: "gogen"}
	l, err := layout.ParseLayout(fmt.Sprintf("(%d):(1)", rows))
	if err != nil {
		return verdict{finding: err.Error()}
	}
	for v := range fn.Sig.Params().Variables() {
		if _, number := v.Type().Underlying().(*types.Basic); number {
			in.Args = append(in.Args, eval.Dyn{})
		} else {
			in.Args = append(in.Args, eval.TensorArg{Layout: l, Align: 16})
		}
	}
	out, err := eval.Host(in)
	if err != nil {
		return refusal(err)
	}
	for _, stage := range []string{"without passes", "with passes"} {
		if stage == "with passes" {
			if err := opt.Module(context.Background(), out.Module); err != nil {
				return verdict{finding: stage + ": " + err.Error()}
			}
		}
		if err := simt.Verify(out.Module, "sm_80"); err != nil {
			return verdict{finding: stage + ": not valid: " + err.Error()}
		}
		run := runSIMT
		if c.passed {
			run = runPassed
		}
		got, err := run(out.Module, u, c)
		if err != nil {
			return verdict{finding: stage + ": " + err.Error()}
		}
		if d := differences(u.p, c, got, want); d != "" {
			return verdict{finding: stage + ": " + d}
		}
	}
	return verdict{}
}

func runSIMT(m *simt.Module, u unit, c caller) (results, error) {
	p, err := emu.Load(m)
	if err != nil {
		return nil, err
	}
	var mem emu.Memory
	var args []uint64
	base := uint64(0x10000)
	give := func(data []byte, name string, readOnly bool) {
		mem.Map(base, data, name, readOnly)
		args = append(args, base)
		base += 0x10000
	}
	for i, typ := range u.p.Params[1:] {
		if c.known>>i&1 == 1 {
			continue
		}
		var data []byte
		for s := range max(1, len(c.rows)/gogen.Lanes) {
			data = binary.LittleEndian.AppendUint64(data, u.p.Tuples[c.rows[s*gogen.Lanes]/gogen.Lanes][i])[:(s+1)*size(typ)]
		}
		give(data, fmt.Sprintf("a%d", i), true)
	}
	var outs [][]byte
	for i, typ := range u.p.Results {
		outs = append(outs, make([]byte, rows*size(typ)))
		give(outs[i], fmt.Sprintf("o%d", i), false)
	}
	k := m.Kernels[0]
	if len(k.Params) != len(args) {
		return nil, fmt.Errorf("the kernel has %d parameters, want %d", len(k.Params), len(args))
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := p.Run(ctx, emu.Launch{Kernel: k.Name, Grid: [3]int{1, 1, 1}, Args: args, Shared: k.Shared, Memory: &mem, Workers: 1}); err != nil {
		return nil, err
	}
	return gather(u, c, outs), nil
}
