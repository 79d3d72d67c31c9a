package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An arg is one operand of a form: the classes that it may have.
type arg struct {
	classes []string
	mem     int // bytes of memory
	elem    int // bytes of an element that is repeated, or that an index chooses
	imm     string
	flags   []string
}

func (a arg) has(class string) bool { return slices.Contains(a.classes, class) }

var lengths = map[string]int{"x": 16, "y": 32, "z": 64}

// simple gives the operands that are one class whatever the widths are.
var simple = map[string]arg{
	"b":   {classes: []string{"R8"}},
	"r16": {classes: []string{"R16"}}, "r32": {classes: []string{"R32"}}, "r64": {classes: []string{"R64"}},
	"x": {classes: []string{"X"}}, "y": {classes: []string{"Y"}}, "z": {classes: []string{"Z"}},
	"k": {classes: []string{"K"}}, "t": {classes: []string{"T"}},
	"al":  {classes: []string{"R8"}, flags: []string{"Fixed"}},
	"cl":  {classes: []string{"R8"}, flags: []string{"Fixed", "CL"}},
	"one": {classes: []string{"Imm"}, flags: []string{"Fixed", "One"}},
	"m":   {classes: []string{"Mem"}},
	"mb":  {classes: []string{"Mem"}, mem: 1},
	"ib":  {classes: []string{"Imm"}, imm: "immByte"}, "is8": {classes: []string{"Imm"}, imm: "immS8"},
	"iw": {classes: []string{"Imm"}, imm: "imm16"}, "id": {classes: []string{"Imm"}, imm: "imm32"},
	"isd": {classes: []string{"Imm"}, imm: "immS32"}, "iq": {classes: []string{"Imm"}, imm: "imm64"},
	"rel8": {classes: []string{"Rel"}, imm: "immRel8"}, "rel32": {classes: []string{"Rel"}, imm: "immRel32"},
}

// immOf is the widest immediate of an operation on general registers.
var immOf = map[int]string{16: "imm16", 32: "imm32", 64: "immS32"}

// operand reads one operand with what may stand instead of it.
func operand(s string, w width) (arg, error) {
	parts := strings.Split(s, "/")
	a, size, err := class(parts[0], w)
	if err != nil {
		return a, err
	}
	for _, p := range parts[1:] {
		bits, err := strconv.Atoi(p[1:])
		switch {
		case p == "m":
			a.classes, a.mem = append(a.classes, "Mem"), size
		case err != nil:
			return a, err
		case p[0] == 'm':
			a.classes, a.mem = append(a.classes, "Mem"), bits/8
		case p[0] == 'b':
			a.classes, a.elem = append(a.classes, "Bcast"), bits/8
		default:
			return a, fmt.Errorf("unknown operand %q", s)
		}
	}
	return a, nil
}

// class gives an operand's first class, and its size in bytes.
func class(s string, w width) (arg, int, error) {
	if a, ok := simple[s]; ok {
		size := lengths[s]
		if s == "b" {
			size = 1
		}
		a.classes = slices.Clone(a.classes)
		return a, size, nil
	}
	vector := lengths[w.vector]
	gpr := arg{classes: []string{fmt.Sprint("R", w.gpr)}}
	switch s {
	case "v", "h", "q", "e":
		size := vector >> strings.Index("vhqe", s)
		return arg{classes: []string{vectorClass(size)}}, size, nil
	case "mv":
		return arg{classes: []string{"Mem"}, mem: vector}, vector, nil
	case "r", "R":
		return gpr, w.gpr / 8, nil
	case "mr":
		return arg{classes: []string{"Mem"}, mem: w.gpr / 8}, w.gpr / 8, nil
	case "acc":
		gpr.flags = []string{"Fixed"}
		return gpr, w.gpr / 8, nil
	case "I":
		return arg{classes: []string{"Imm"}, imm: immOf[w.gpr]}, 0, nil
	}
	return indexed(s, vector)
}

// indexed reads sv32 and its like, and m32 and its like.
func indexed(s string, vector int) (arg, int, error) {
	if s[0] == 's' && len(s) > 2 {
		bits, err := strconv.Atoi(s[2:])
		size := vector >> strings.Index("vhqe", s[1:2])
		return arg{classes: []string{"Mem" + vectorClass(size)}, mem: bits / 8, elem: bits / 8}, 0, err
	}
	bits, err := strconv.Atoi(s[1:])
	if s[0] != 'm' || err != nil {
		return arg{}, 0, fmt.Errorf("unknown operand %q", s)
	}
	return arg{classes: []string{"Mem"}, mem: bits / 8}, 0, nil
}

func vectorClass(bytes int) string {
	switch {
	case bytes == 64:
		return "Z"
	case bytes == 32:
		return "Y"
	}
	return "X"
}
