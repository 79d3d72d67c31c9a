package graph_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

// longestLine is the length that package documentation promises.
const longestLine = 400

// briefLines checks that no line is too long, and that at least one was cut.
func briefLines(t *testing.T, what, text string) {
	t.Helper()
	cut := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); len(line) > longestLine || !utf8.ValidString(line) {
			t.Errorf("%s: a line has %d bytes, expected at most %d of UTF-8: %s", what, len(line), longestLine, line)
		}
		if regexp.MustCompile(` … \d+ bytes … `).MatchString(line) {
			cut++
		}
	}
	if cut == 0 {
		t.Errorf("%s: no line was cut:\n%s", what, text)
	}
}

// TestLongExpressions: dumps, plans and profiles cut the expression of a kernel, which runs to pages; the Tile IR has all of it.
func TestLongExpressions(t *testing.T) {
	const terms = 90 // as many as one kernel computes
	var x *graph.Value
	dev, p := compiled(t, func(g *graph.Graph) []*graph.Value {
		x = g.Parameter("größe", dtype.F32, 4)
		y := x
		for i := range terms {
			y = graph.Add(graph.Mul(y, graph.Scalar(g, float32(i)+0.5)), x)
		}
		return []*graph.Value{y}
	})
	briefLines(t, "the plan", p.String())
	briefLines(t, "the stage fused", dump(t, p, graph.StageFused))
	in, err := device.Full[float32](dev, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := p.Profile(t.Context(), dev, in)
	if err != nil {
		t.Fatal(err)
	}
	briefLines(t, "a profile", profile.String())
	if n := strings.Count(profile[0].Kernel, "mul("); n != terms {
		t.Errorf("a kernel of the profile has %d products, expected all %d", n, terms)
	}
	code := dump(t, p, graph.StageTileIR)
	if n := strings.Count(code, "mulf ") + strings.Count(code, "fma "); n < terms {
		t.Errorf("the Tile IR has %d products, expected %d:\n%.2000s", n, terms, code)
	}
}

// TestLongErrors: errors that list what a program has are cut, and still are what they were made of.
func TestLongErrors(t *testing.T) {
	g := graph.New()
	var state []*graph.Value
	for i := range 300 {
		state = append(state, g.Parameter(fmt.Sprintf("größe %d", i), dtype.F32, 2, 3))
	}
	dev, p := compiledOf(t, g, state[:1])
	_, err := p.Run(t.Context(), dev)
	if err == nil || len(err.Error()) > longestLine+60 || !strings.Contains(err.Error(), "0 arguments, expected 300, for größe 0 float32[2 3], ") || !strings.HasSuffix(err.Error(), "größe 299 float32[2 3]") {
		t.Errorf("without arguments: %v", err)
	}
	for range 100 {
		graph.While(state, never, none)
	}
	text := g.Err().Error()
	briefLines(t, "mistakes", text)
	if !strings.HasPrefix(text, "brief_test.go:") || !strings.Contains(text, "while: the body makes [] of the state [float32[2 3]") {
		t.Errorf("the beginning is lost:\n%s", text)
	}
}

var errNoCode = errors.New("there is no code")

// mute is the CPU's engine without a compiler.
type mute struct{ engine.Device }

func (mute) Compile(context.Context, *tileir.Module, string) (engine.Kernel, error) {
	return nil, errNoCode
}

// TestLongRefusal: the error of a kernel that cannot be compiled shows the beginning and the end of its expression.
func TestLongRefusal(t *testing.T) {
	dev, err := device.New(mute{cpu.New(cpu.Options{Workers: 1})}, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 4)
	sum := x
	for range 100 {
		sum = graph.Add(graph.Mul(sum, x), x)
	}
	_, err = g.Compile(t.Context(), dev, sum)
	if !errors.Is(err, errNoCode) || !strings.Contains(err.Error(), "there is no code\nin kernel ") {
		t.Fatalf("the error is %v, expected %v and the kernel", err, errNoCode)
	}
	briefLines(t, "the error", err.Error())
}

// TestDumpLines: each operation has the line of the program that asked for it, also those that an operation is made of.
func TestDumpLines(t *testing.T) {
	for name, build := range map[string]func(*graph.Graph) []*graph.Value{"layer": layer, "attended": attended, "looked": looked, "composed": composed} {
		_, p := compiled(t, build)
		for _, stage := range []graph.Stage{graph.StageGraph, graph.StageFused, graph.StageCost} {
			operations := 0
			for line := range strings.Lines(dump(t, p, stage)) {
				line = strings.TrimSpace(line)
				if (strings.HasPrefix(line, "%") && strings.Contains(line, " = ") && !strings.Contains(line, "] = ")) || regexp.MustCompile(`  %\d+ \w+ \w+\[`).MatchString("  "+line) {
					operations++
					if !regexp.MustCompile(`\b(dumped|brief)_test\.go:\d+(; also in kernels? [\d, ]+)?$`).MatchString(line) {
						t.Errorf("%s, stage %s: no line of the program: %s", name, stage, line)
					}
				}
			}
			if operations == 0 {
				t.Errorf("%s: the stage %s has no operations", name, stage)
			}
		}
	}
}

// composed has functions that are made of many operations.
func composed(g *graph.Graph) []*graph.Value {
	x := g.Parameter("x", dtype.F32, 2, 3, 8)
	w := g.Parameter("w", dtype.F32, 6, 3, 3)
	y := graph.Conv(x, w, graph.ConvOptions{Low: []int{1}, High: []int{1}})
	channels := graph.Full(g, float32(1), 6)
	y = graph.BatchNorm(y, channels, channels, channels, channels, 1e-5)
	y = graph.AveragePool(y, graph.PoolOptions{Size: []int{2}, Stride: []int{2}}, false)
	_, noise := graph.Uniform(graph.RandomState(g, 1), dtype.F32, 4)
	values, _ := graph.TopK(graph.Add(y, noise), 2, -1, false)
	spectrum := graph.RealFFT(y, -1)
	state, _ := graph.RNN(graph.Transpose(y, 2, 0, 1), graph.Full(g, float32(0.1), 5, 6), graph.Full(g, float32(0.1), 5, 5), graph.RecurrentOptions{})
	return []*graph.Value{values, spectrum.Abs(), graph.Resize(state, graph.ResizeOptions{Sizes: []int{8}, Axes: []int{0}, Mode: graph.ResizeLinear})}
}
