package onnx_test

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cutile-go/cutile/onnx"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

// commandModels are models for the command, by the names of their files.
func commandModels() map[string][]byte {
	weights := func(n int) (b []byte) {
		for i := range n {
			b = protowire.AppendFixed32(b, math.Float32bits(float32(i%7)-3))
		}
		return b
	}
	x, y := []message{infoProto("x", 1, -1, 8)}, []message{infoProto("y", 1)}
	layer := graphProto{[]message{
		nodeProto("Gemm", []string{"x", "w", "b"}, []string{"h"}), nodeProto("Relu", []string{"h"}, []string{"r"}), nodeProto("Softmax", []string{"r"}, []string{"y"}),
	}, []message{tensorProto("w", 1, weights(64), 8, 8), tensorProto("b", 1, weights(8), 8)}, x, y}
	colour := graphProto{[]message{nodeProto("\x1b[31mRed", []string{"x"}, []string{"y"})}, nil, x, y}
	frob := graphProto{[]message{nodeProto("Frob", []string{"x"}, []string{"a"}), nodeProto("Relu", []string{"a"}, []string{"y"})}, nil, x, y}
	slope := graphProto{[]message{nodeProto("Relu", []string{"x"}, []string{"y"}, attribute("slope", 2))}, nil, []message{infoProto("x", 1, 3)}, y}
	shaped := graphProto{[]message{nodeProto("Reshape", []string{"x", "to"}, []string{"y"})}, nil, append(x, infoProto("to", 7, -1)), y}
	return map[string][]byte{
		"layer.onnx": modelProto(layer, 18), "frob.onnx": modelProto(frob, 18), "slope.onnx": modelProto(slope, 18), "shaped.onnx": modelProto(shaped, 18), "text.onnx": []byte("no model"),
		"colour.onnx": modelProto(colour, 18), "bare.onnx": modelProto(graphProto{layer.nodes, layer.initializers, x, nil}, 18),
	}
}

// commander builds the command and writes the models, and returns a function that runs a command line in their folder.
func commander(t *testing.T) func(line string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "cutile-onnx")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/cutile-onnx").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, data := range commandModels() {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return func(line string) (int, string, string) {
		cmd := exec.Command(program, strings.Fields(line)...)
		cmd.Dir = dir
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String(), errs.String()
	}
}

// TestCommand compares what the command prints with golden files; of a profile, whose times differ, the lines that do not.
func TestCommand(t *testing.T) {
	run := commander(t)
	var b strings.Builder
	for _, line := range []string{
		"help", "help dump", "help profile", "check layer.onnx", "check -shape x=2x8 layer.onnx", "check frob.onnx", "check slope.onnx", "check shaped.onnx -shape x=4x8 -known to=2,-1",
		"dump layer.onnx -stage graph,fused,cost -shape x=16x8",
	} {
		code, out, errs := run(line)
		b.WriteString("$ cutile-onnx " + line + "\n" + out + errs)
		if code != 0 {
			b.WriteString("exit code 1\n")
		}
		b.WriteByte('\n')
	}
	file := filepath.Join("testdata", "command.txt")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s differs; -update writes it anew. The command prints\n%s", file, &b)
	}
	for _, line := range []string{"profile -device cpu layer.onnx -shape x=16x8", "profile -runs 1 -device cpu layer.onnx -shape x=16x8"} {
		code, out, errs := run(line)
		for _, want := range []string{"device cpu\nµs ", "kernel dot_add_max(a0 left 16, a1 right 8, a2 sum 8)", "kernel reduce_max_", "in 2 kernels\n"} {
			if code != 0 || errs != "" || !strings.Contains(out, want) {
				t.Errorf("%s: exit code %d, %s, want %q in\n%s", line, code, errs, want, out)
			}
		}
	}
	if code, out, errs := run("dump -stage ir layer.onnx -shape x=16x8"); code != 0 || errs != "" || !strings.HasPrefix(out, "// kernel 1\n") || !strings.Contains(out, "mmaf") {
		t.Errorf("Tile IR: exit code %d, %s, %s", code, errs, out)
	}
}

// TestCommandErrors: what is wrong with a command line or file, and what to do.
func TestCommandErrors(t *testing.T) {
	run := commander(t)
	const failed, usage = 1, 2
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"", usage, "cutile-onnx: no command is given; see `cutile-onnx help`"},
		{"show layer.onnx", usage, `there is no command "show"`},
		{"help show", usage, `there is no command "show"`},
		{"dump", usage, "cutile-onnx dump: want one file, got 0; see `cutile-onnx help dump`"},
		{"dump -x layer.onnx", usage, "flag provided but not defined: -x"},
		{"check -stage cost layer.onnx", usage, "flag provided but not defined: -stage"},
		{"dump -stage asm -shape x=1x8 layer.onnx", usage, `-stage: "asm" is not one of graph, fused, cost, ir and all`},
		{"dump -shape x layer.onnx", usage, `invalid value "x" for flag -shape: want name=extents, such as x=1x3x224x224`},
		{"dump -shape x=1x-8 layer.onnx", usage, `the extent "-8" is no whole number from 0 on`},
		{"dump -shape x=65536x65536 layer.onnx", usage, "more than 268435456 elements"},
		{"dump -shape x=1x8 -shape x=1x8 layer.onnx", usage, `the input "x" is named twice`},
		{"dump -shape z=1x8 layer.onnx", usage, `-shape: the model has no input "z"; its inputs are x`},
		{"dump -known z=1 layer.onnx", usage, `-known: the model has no input "z"; its inputs are x`},
		{"dump -known to= shaped.onnx", usage, "want name=elements, such as steps=3 or size=224,224"},
		{"dump -shape x=4x8 -known to=2,a shaped.onnx", failed, `input to int64 [n]: -known: element 2: "a" is no int64`},
		{"dump -shape x=4x8 -shape to=3 -known to=2,16 shaped.onnx", failed, "-known gives 2 elements, expected 3 for the shape [3]"},
		{"dump -shape x=4x8 -known to=5,5 shaped.onnx", failed, `shaped.onnx: onnx: node 0 "the Reshape" (Reshape): `},
		{"dump -shape x=4x8 -shape to=2 shaped.onnx", failed, `the elements of input 1 "to" decide on shapes, but depend on inputs of the model`},
		{"dump layer.onnx", failed, "the model leaves the shapes of inputs open: x float [n 8]; give them, as in -shape x=1x8"},
		{"profile -shape x=1x9 layer.onnx", failed, `layer.onnx: onnx: input "x" has shape [1 9], expected x float [n 8]`},
		{"profile -runs 0 -shape x=1x8 layer.onnx", usage, `invalid value "0" for flag -runs: want a whole number from 1 on`},
		{"dump -runs 2 layer.onnx", usage, "flag provided but not defined: -runs"},
		{"profile -device tpu -shape x=1x8 layer.onnx", failed, `"tpu"`},
		{"check none.onnx", failed, "cutile-onnx check: onnx: open none.onnx: no such file"},
		{"check colour.onnx", failed, `operators that are not supported: \x1b[31mRed`},
		{"check bare.onnx", failed, "cutile-onnx check: bare.onnx: the graph has no outputs: a run would compute nothing"},
		{"check -shape x=2x8 bare.onnx", failed, "cutile-onnx check: bare.onnx: the graph has no outputs"},
		{"dump -shape x=2x8 bare.onnx", failed, "onnx: the graph has no outputs"},
		{"check text.onnx", failed, "onnx: text.onnx: the file is no ONNX model, as frameworks export them: "},
	} {
		code, _, errs := run(c.line)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("cutile-onnx %s: exit code %d, %q, want %d, %q", c.line, code, errs, c.code, c.want)
		}
	}
}

// TestUsed counts operators in graphs of control flow and in functions, which may ask for other versions.
func TestUsed(t *testing.T) {
	branch := func(op string) graphProto {
		return graphProto{nodes: []message{nodeProto(op, []string{"x"}, []string{"z"})}, outputs: []message{infoProto("z", 1)}}
	}
	twice := message{}.text(1, "Twice").text(4, "a").text(5, "b").bytes(7, nodeProto("Abs", []string{"a"}, []string{"c"})).
		bytes(7, nodeProto("Scatter", []string{"c", "c", "c"}, []string{"b"})).bytes(9, message{}.number(2, 10)).text(10, "user")
	call := func(out string) message {
		return append(nodeProto("Twice", []string{"x"}, []string{out}), message{}.text(7, "user")...)
	}
	g := graphProto{[]message{
		nodeProto("If", []string{"c"}, []string{"i"}, attribute("then_branch", branch("Abs")), attribute("else_branch", branch("Frob"))),
		call("t"), call("u"), nodeProto("Scatter", []string{"t", "u", "i"}, []string{"y"}),
	}, []message{tensorProto("c", 9, []byte{1})}, []message{infoProto("x", 1, 4)}, []message{infoProto("y", 1)}}
	m, err := onnx.Parse(message(modelProto(g, 18)).bytes(25, twice))
	if err != nil {
		t.Fatal(err)
	}
	type used struct {
		name     string
		count    int
		function bool
		err      string
	}
	want := []used{
		{"Abs", 1, false, ""}, // of the function, which asks for version 10
		{"Abs", 1, false, ""}, {"Frob", 1, false, "the operator Frob is not supported"}, {"If", 1, false, ""},
		{"Scatter", 1, false, ""}, {"Scatter", 1, false, "the operator Scatter is not one of version 18 of ONNX's operators"}, {"user.Twice", 2, true, ""},
	}
	list := m.Used()
	if len(list) != len(want) {
		t.Fatalf("the model uses %v, expected %v", list, want)
	}
	for i, u := range list {
		got := used{u.Name, u.Count, u.Function, ""}
		if u.Err != nil {
			got.err = u.Err.Error()
		}
		if got != want[i] {
			t.Errorf("operator %d is %v, expected %v", i, got, want[i])
		}
	}
	if names := strings.Join(m.Operators(), " "); names != "Abs Frob If Scatter user.Twice" {
		t.Errorf("the operators are %s", names)
	}
}
