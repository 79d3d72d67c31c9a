package onnx_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/onnx"
)

// mostNodes is the greatest number of nodes that package documentation names.
const mostNodes = 1 << 16

// functionProto is a FunctionProto of one input and one output.
func functionProto(name string, nodes ...message) message {
	m := message{}.text(1, name).text(4, "a").text(5, "z")
	for _, n := range nodes {
		m = m.bytes(7, n)
	}
	return m.bytes(9, message{}.number(2, 18)).text(10, "mine")
}

// relus are nodes that follow each other.
func relus(n int, from, to string) (nodes []message) {
	for i := range n {
		next := fmt.Sprint("n", i)
		if i == n-1 {
			next = to
		}
		nodes = append(nodes, message{}.text(1, from).text(2, next).text(4, "Relu"))
		from = next
	}
	return nodes
}

// calls are nodes of functions.
func calls(name string, n int) (nodes []message) {
	for range n {
		nodes = append(nodes, message{}.text(1, "a").text(2, "z").text(4, name).text(7, "mine"))
	}
	return nodes
}

// TestTooManyNodes: a file is refused when it is read, before anything is built, wherever its nodes are; one with as many as there may be is
// read.
func TestTooManyNodes(t *testing.T) {
	x, y := []message{infoProto("x", 1, 4)}, []message{infoProto("y", 1, 4)}
	model := func(nodes []message, functions ...message) []byte {
		m := message(modelProto(graphProto{nodes, nil, x, y}, 18)).bytes(8, message{}.text(1, "mine").number(2, 1))
		for _, f := range functions {
			m = m.bytes(25, f)
		}
		return m
	}
	branches := func(n int) []message {
		g := graphProto{nodes: relus(n, "x", "z"), outputs: []message{infoProto("z", 1)}}
		return []message{nodeProto("If", []string{"x"}, []string{"y"}, attribute("then_branch", g), attribute("else_branch", g))}
	}
	var doubled []message // each function calls the next one twice
	for i := range 20 {
		doubled = append(doubled, functionProto(fmt.Sprint("F", i), calls(fmt.Sprint("F", i+1), 2)...))
	}
	doubled = append(doubled, functionProto("F20", relus(1, "a", "z")...))
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"a graph", "the file has 65537 nodes, in all its graphs and functions: expected at most 65536", model(relus(mostNodes+1, "x", "y"))},
		{"a graph that may be", "", model(relus(mostNodes, "x", "y"))},
		{"branches", "the file has 80001 nodes, in all its graphs and functions: expected at most 65536", model(branches(40000))},
		{"branches that may be", "", model(branches(mostNodes/2 - 1))},
		{"a function", "the file has 65538 nodes, in all its graphs and functions", model(calls("F", 1), functionProto("F", relus(mostNodes+1, "a", "z")...))},
		{"calls of functions", "the model has more than 65536 nodes, those of functions counted once for each call", model(calls("F0", 1), doubled...)},
		{"fewer calls of functions", "", model(calls("F6", 1), doubled...)},
		{"a function that calls itself", "the model has more than 65536 nodes, those of functions counted once for each call", model(calls("F", 1), functionProto("F", calls("F", 1)...))},
		{"a function that nobody calls calls itself", "", model(relus(1, "x", "y"), functionProto("F", calls("F", 1)...))},
	} {
		_, err := onnx.Parse(c.data)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, expected one with %q", c.name, err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}

// TestNoOperator: a node without an operator is named by its place and name.
func TestNoOperator(t *testing.T) {
	x, y := []message{infoProto("x", 1, 4)}, []message{infoProto("y", 1, 4)}
	node := func(m message) message { return m.text(1, "x").text(2, "z") }
	missing, empty, blank := node(message{}.text(3, "the first")), node(message{}.text(3, "second").text(4, "")), node(message{}.text(4, "  "))
	inner := func(n message) message {
		g := graphProto{nodes: []message{n}, outputs: []message{infoProto("z", 1)}}
		return nodeProto("If", []string{"x"}, []string{"y"}, attribute("then_branch", g), attribute("else_branch", g))
	}
	model := func(nodes ...message) message { return modelProto(graphProto{nodes, nil, x, y}, 18) }
	relu := nodeProto("Relu", []string{"x"}, []string{"y"})
	for _, c := range []struct {
		want string
		data []byte
	}{
		{`onnx: node 1 "the first": it names no operator (op_type is ""), expected one such as Add`, model(relu, missing)},
		{`onnx: node 0 "second": it names no operator (op_type is "")`, model(empty, relu)},
		{`onnx: node 2 "": it names no operator (op_type is "  ")`, model(relu, relu, blank)},
		{`onnx: node 1 "the If" (If): then_branch: node 0 "the first": it names no operator`, model(relu, inner(missing))},
		{`onnx: function "F": node 0 "second": it names no operator`, model(relu).bytes(25, functionProto("F", empty))},
		{`node 0 "" (A dd): the operator "A dd" is not supported`, model(node(message{}.text(4, "A dd")))},
		{`the operator Frob is not supported`, model(nodeProto("Frob", []string{"x"}, []string{"y"}))},
		{`the operator com.none.Frob is not supported`, model(nodeProto("Frob", []string{"x"}, []string{"y"}).text(7, "com.none"))},
	} {
		m, err := onnx.Parse(c.data)
		if err == nil {
			err = onnx.Build(t.Context(), m, open(t), 1<<16)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, expected one with %q", err, c.want)
			continue
		}
		if !strings.Contains(c.want, `"  "`) {
			plain(t, err.Error())
		}
	}
}

var (
	spaces = regexp.MustCompile(`\S {2,}\S`)
	bare   = regexp.MustCompile(`(?m):\s*$`)
)

// plain checks that nothing is missing in a message: there are no two spaces in a row, and something stands behind each colon.
func plain(t *testing.T, text string) {
	t.Helper()
	if spaces.MatchString(text) || bare.MatchString(text) || slices.ContainsFunc([]string{"%!", ": : ", "()"}, func(s string) bool { return strings.Contains(text, s) }) {
		t.Errorf("a part of the message is missing: %q", text)
	}
}
