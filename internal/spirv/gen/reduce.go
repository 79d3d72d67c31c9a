package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The files of Khronos's grammar, as far as they are read.
type (
	jsonGrammar struct {
		Major        int        `json:"major_version"`
		Minor        int        `json:"minor_version"`
		Revision     int        `json:"revision"`
		Instructions []jsonItem `json:"instructions"`
		Kinds        []jsonKind `json:"operand_kinds"`
	}
	jsonKind struct {
		Category   string     `json:"category"`
		Kind       string     `json:"kind"`
		Bases      []string   `json:"bases"`
		Enumerants []jsonItem `json:"enumerants"`
	}
	jsonItem struct { // an instruction or an enumerant
		Opname       string        `json:"opname"`
		Opcode       uint32        `json:"opcode"`
		Enumerant    string        `json:"enumerant"`
		Value        any           `json:"value"` // a number, or a string such as "0x0001"
		Class        string        `json:"class"`
		Aliases      []string      `json:"aliases"`
		Operands     []jsonOperand `json:"operands"`
		Parameters   []jsonOperand `json:"parameters"`
		Version      string        `json:"version"`
		LastVersion  string        `json:"lastVersion"`
		Capabilities []string      `json:"capabilities"`
		Extensions   []string      `json:"extensions"`
	}
	jsonOperand struct {
		Kind       string `json:"kind"`
		Quantifier string `json:"quantifier"`
	}
)

// sets are the sets of extended instructions in the table, by the name that a module imports.
var sets = []struct{ name, file string }{
	{"GLSL.std.450", "extinst.glsl.std.450.grammar.json"},
}

// categories are the grammar's, by the words of grammar.txt.
var categories = map[string]string{"ValueEnum": "value", "BitEnum": "bits", "Id": "id", "Literal": "literal", "Composite": "composite"}

// head is the beginning of grammar.txt.
const head = `# The grammar of SPIR-V %d.%d, revision %d, reduced by internal/spirv/gen from these files of KhronosGroup/SPIRV-Headers:
# spirv.core.grammar.json, extinst.*.grammar.json, spir-v.xml. Do not edit. Package grammar says how lines are read.
#
# The files are Copyright (c) 2014-2024 The Khronos Group Inc., License: MIT (LICENSE.txt). Khronos's notice: MODIFICATIONS TO THIS FILE MAY MEAN
# IT NO LONGER ACCURATELY REFLECTS KHRONOS STANDARDS. THE UNMODIFIED, NORMATIVE VERSIONS OF KHRONOS SPECIFICATIONS AND HEADER
# INFORMATION ARE LOCATED AT https://www.khronos.org/registry/
`

// reduce makes grammar.txt.
func reduce(dir string) ([]byte, error) {
	var core jsonGrammar
	if err := read(filepath.Join(dir, "spirv.core.grammar.json"), &core); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, head, core.Major, core.Minor, core.Revision)
	for _, k := range core.Kinds {
		b.WriteString(strings.TrimSpace(strings.Join(append([]string{"kind", k.Kind, categories[k.Category]}, k.Bases...), " ")) + "\n")
		seen := map[uint32]bool{}
		for _, e := range k.Enumerants {
			v, err := number(e.Value)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", k.Kind, e.Enumerant, err)
			}
			if seen[v] {
				return nil, fmt.Errorf("%s %s: a second enumerant %d", k.Kind, e.Enumerant, v)
			}
			seen[v] = true
			format := "%d"
			if k.Category == "BitEnum" {
				format = "%#x"
			}
			fmt.Fprintf(&b, "    "+format+" %s\n", v, item(e, e.Enumerant, e.Parameters))
		}
	}
	for _, op := range core.Instructions {
		fmt.Fprintf(&b, "op %d %s\n", op.Opcode, item(op, op.Opname, op.Operands))
	}
	for _, s := range sets {
		var set jsonGrammar
		if err := read(filepath.Join(dir, s.file), &set); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "set %s\n", s.name)
		for _, op := range set.Instructions {
			op.Class = ""
			fmt.Fprintf(&b, "    %d %s\n", op.Opcode, item(op, op.Opname, op.Operands))
		}
	}
	if err := tools(dir, &b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func read(file string, to any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// number reads a value, which is a number, or text with one.
func number(v any) (uint32, error) {
	switch v := v.(type) {
	case float64:
		return uint32(v), nil
	case string:
		n, err := strconv.ParseUint(v, 0, 32)
		return uint32(n), err
	}
	return 0, fmt.Errorf("value %v is neither a number nor text", v)
}

// item gives names, class, operands and needs.
func item(x jsonItem, name string, operands []jsonOperand) string {
	words := []string{strings.Join(append([]string{name}, x.Aliases...), "/")}
	if x.Class != "" {
		words = append(words, x.Class)
	}
	for _, o := range operands {
		words = append(words, o.Kind+o.Quantifier)
	}
	version := x.Version
	switch version {
	case "None":
		version = "-"
	case "":
		version = "1.0"
	}
	if x.LastVersion != "" {
		version += "-" + x.LastVersion
	}
	words = append(words, "|", version)
	words = append(words, x.Capabilities...)
	return strings.Join(append(words, x.Extensions...), " ")
}

// tools adds the makers of modules.
func tools(dir string, b *bytes.Buffer) error {
	data, err := os.ReadFile(filepath.Join(dir, "spir-v.xml"))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(filepath.Join(dir, "..", "spir-v.xml"))
	}
	if err != nil {
		return err
	}
	var file struct {
		Lists []struct {
			Type string `xml:"type,attr"`
			IDs  []struct {
				Value  string `xml:"value,attr"`
				Vendor string `xml:"vendor,attr"`
				Tool   string `xml:"tool,attr"`
			} `xml:"id"`
		} `xml:"ids"`
	}
	if err := xml.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("spir-v.xml: %w", err)
	}
	for _, list := range file.Lists {
		for _, id := range list.IDs {
			if list.Type == "vendor" {
				fmt.Fprintf(b, "tool %s %s\n", id.Value, strings.TrimSpace(id.Vendor+" "+id.Tool))
			}
		}
	}
	return nil
}
