package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// headers are small files of the form of Khronos's.
var headers = map[string]string{
	"spirv.core.grammar.json": `{"major_version": 1, "minor_version": 6, "revision": 9, "instructions": [
		{"opname": "OpNop", "class": "Miscellaneous", "opcode": 0, "version": "1.0"},
		{"opname": "OpLoad", "aliases": ["OpRead"], "class": "Memory", "opcode": 61, "lastVersion": "1.5", "capabilities": ["Shader"],
		 "operands": [{"kind": "IdRef"}, {"kind": "Access", "quantifier": "?"}], "extensions": ["SPV_X"], "version": "1.1"}],
		"operand_kinds": [
		{"category": "BitEnum", "kind": "Access", "enumerants": [{"enumerant": "None", "value": "0x0000"},
		 {"enumerant": "Aligned", "value": "0x0002", "parameters": [{"kind": "Pair"}], "version": "1.0"}]},
		{"category": "ValueEnum", "kind": "Capability", "enumerants": [{"enumerant": "Shader", "value": 1, "version": "None"}]},
		{"category": "Id", "kind": "IdRef"}, {"category": "Composite", "kind": "Pair", "bases": ["IdRef", "IdRef"]}]}`,
	"extinst.glsl.std.450.grammar.json": `{"instructions": [{"opname": "Fma", "opcode": 50, "operands": [{"kind": "IdRef"}]}]}`,
	"spir-v.xml":                        `<registry><ids type="opcode"><id value="9"/></ids><ids type="vendor"><id value="8" vendor="Khronos" tool="Front"/></ids></registry>`,
}

// want is what they become.
const want = `kind Access bits
    0x0 None | 1.0
    0x2 Aligned Pair | 1.0
kind Capability value
    1 Shader | -
kind IdRef id
kind Pair composite IdRef IdRef
op 0 OpNop Miscellaneous | 1.0
op 61 OpLoad/OpRead Memory IdRef Access? | 1.1-1.5 Shader SPV_X
set GLSL.std.450
    50 Fma IdRef | 1.0
tool 8 Khronos Front
`

// TestReduce: the JSON files become lines of grammar.txt, and a file that is missing or wrong is named.
func TestReduce(t *testing.T) {
	dir := t.TempDir()
	for name, text := range headers {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := reduce(dir)
	if err != nil {
		t.Fatal(err)
	}
	head, lines, _ := strings.Cut(string(b), "kind Access")
	if got := "kind Access" + lines; got != want || !strings.Contains(head, "1.6, revision 9") {
		t.Errorf("%s\nexpected\n%s", b, want)
	}
	for name, text := range map[string]string{"extinst.glsl.std.450.grammar.json": "{", "spir-v.xml": "<", "spirv.core.grammar.json": `{"operand_kinds": [{"category": "ValueEnum", "kind": "K",
		"enumerants": [{"enumerant": "A", "value": 1}, {"enumerant": "B", "value": 1}]}]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := reduce(dir); err == nil {
			t.Errorf("%s may be wrong", name)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := reduce(dir); err == nil {
			t.Errorf("%s may be missing", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(headers[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestConstants: the committed file is what the table gives.
func TestConstants(t *testing.T) {
	b, err := constants()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../constants_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != string(committed) {
		t.Error("constants_gen.go is old: run go generate")
	}
	if err := run("", nil); err == nil {
		t.Error("no file is a usage")
	}
}
