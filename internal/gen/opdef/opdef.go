// Package opdef holds the facts about Tile IR's operations, tileir.json, and turns them into the Go tables of package
// tileir. Run `go generate ./tileir` after a change of the facts.
package opdef

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Files are the generated files of package tileir, and what gives their content.
var Files = map[string]func() ([]byte, error){
	"table_gen.go": Generate, "builder_gen.go": GenerateBuilder, "target_gen.go": GenerateTargets,
}

//go:embed tileir.json
var facts []byte

// newest is the last version whose fields go into the tables; the facts also name fields of versions to come.
const newest = "13.4"

// spec is the part of tileir.json that the tables are made from.
type spec struct {
	Enums map[string]enum `json:"enums"`
	Ops   []op            `json:"ops"`

	Targets struct {
		Archs  []string  `json:"archs"`
		ByType []refusal `json:"by_type"`
		ByOp   []refusal `json:"by_op"`
	} `json:"target_refusals"`
}

// refusal is what the assembler refuses for some architectures: element types anywhere, or operations, of those perhaps
// only one mode with one element type.
type refusal struct {
	Types   []string `json:"types"`
	Ops     []string `json:"ops"`
	Mode    string   `json:"mode"`
	Type    string   `json:"type"`
	Refused []string `json:"refused"`
}

type enum struct {
	Attribute string `json:"attribute"`
	Values    []struct {
		Name  string `json:"name"`
		Text  string `json:"text"`
		Value int64  `json:"value"`
	} `json:"values"`
}

type op struct {
	Name             string   `json:"name"`
	Mnemonic         string   `json:"mnemonic"`
	OldMnemonic      string   `json:"mnemonic_before_13_4"`
	Opcode           int      `json:"opcode"`
	Since            string   `json:"since"`
	Category         string   `json:"category"`
	Memory           []string `json:"memory"` // what is done to it: "read", "write"
	Meaning          string   `json:"meaning"`
	Format           string   `json:"format"`
	ResultName       string   `json:"result_name"`
	ArgNames         string   `json:"arg_names"`
	ResultsEncoding  string   `json:"results_encoding"`
	OperandsEncoding string   `json:"operands_encoding"`
	Results          []item   `json:"results"`
	Operands         []item   `json:"operands"`
	Attributes       []attr   `json:"attributes"`
	Regions          []region `json:"regions"`
	Traits           []string `json:"traits"`
	Terminator       bool     `json:"terminator"`
	InBody           *bool    `json:"in_body"`
	Flags            *struct {
		Since string `json:"since"`
	} `json:"flags"`
}

// item is an operand or a result.
type item struct {
	Name       string `json:"name"`
	Constraint string `json:"constraint"`
	Optional   bool   `json:"optional"`
	Variadic   bool   `json:"variadic"`
	FlagBit    *int   `json:"flag_bit"`
	Since      string `json:"since"`
}

type attr struct {
	Name     string          `json:"name"`
	Encoding string          `json:"encoding"`
	Enum     string          `json:"enum"`
	Symbol   bool            `json:"symbol"`
	Optional bool            `json:"optional"`
	FlagBit  *int            `json:"flag_bit"`
	Since    string          `json:"since"`
	Default  json.RawMessage `json:"default"`
	Allowed  []string        `json:"allowed"`
	Width    int             `json:"int_width"`
}

type region struct {
	Name   string `json:"name"`
	Blocks string `json:"blocks"`
}

// load parses the facts and drops what is newer than the newest version.
func load(facts []byte) (*spec, error) {
	s := new(spec)
	if err := json.Unmarshal(facts, s); err != nil {
		return nil, fmt.Errorf("opdef: tileir.json: %w", err)
	}
	for i := range s.Ops {
		o := &s.Ops[i]
		o.Attributes = slices.DeleteFunc(o.Attributes, func(a attr) bool { return a.Since > newest })
	}
	return s, nil
}

// inBody reports whether an operation stands in bodies; the others are rows of sections.
func (o *op) inBody() bool { return o.InBody == nil || *o.InBody }

// pure reports whether an operation may be removed, merged and moved. assume promises something about its operand and
// does nothing; the operations with regions do what their regions do.
func (o *op) pure() bool {
	return o.Mnemonic == "assume" || !o.Terminator && (slices.Contains(o.Traits, "pure") || slices.Contains(o.Traits, "no_memory_effect"))
}

// trait splits "same_type(lhs,rhs)" and "single_block(terminator=a|b)" into name and arguments.
func trait(s string) (name string, args []string) {
	name, rest, ok := strings.Cut(s, "(")
	if !ok {
		return name, nil
	}
	rest = strings.TrimPrefix(strings.TrimSuffix(rest, ")"), "terminator=")
	return name, strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == '|' })
}
