package main

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// bodies are the bytes of each listing's operations, by hand from docs/bytecode.md: types 0 and 1 are i1 and i32.
var bodies = map[string]string{
	// opcode, type, constant
	"constant": "10 03 00 | 10 04 01 | 5c 00 00",
	// ... then addf: type, flags 1 (flush_to_zero), rounding 0, operands
	"addf": "10 06 02 | 10 06 03 | 02 06 01 00 00 01 | 5c 00 00",
	// type, predicate 2 (less_than), signedness 1, operands
	"cmpi": "0f 04 02 01 00 01 | 5c 00 00",
	// no results, flags 0, three operands and their number, one region of one block: one argument, one operation
	"for": "29 00 00 03 00 01 02 01 01 01 03 01 11 00 00 | 5c 00 00",
	// one result, a token; flags 0; text; one argument
	"print": "55 01 0a 00 05 01 00 | 5c 00 00",
	// zeros, int_to_ptr, mask, padding; the load: types, flags 4 (mask) and 8 (padding), weak, operands; the store: type,
	// flags 8 (token), weak, operands
	"load_ptr_tko": "10 0c 04 | 33 0e 00 | 10 0f 01 | 10 06 05 | 3d 06 0a 0c 00 01 02 03 | 65 0a 08 00 01 04 05 | 5c 00 00",
	"my_kernel":    "02 10 00 00 00 01 | 5c 00 00",
}

// rows splits the Func section: a name, a type, flags, a debug row, and the body after its length.
func rows(t *testing.T, data []byte) [][]byte {
	t.Helper()
	parts, err := bytecode.Sections(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if p.Name != "Func" {
			continue
		}
		rest := data[p.Payload:p.End]
		n := int(rest[0])
		rest = rest[1:]
		var out [][]byte
		for range n {
			size := int(rest[4])
			out = append(out, rest[5:5+size])
			rest = rest[5+size:]
		}
		return out
	}
	t.Fatal("there is no Func section")
	return nil
}

func TestListings(t *testing.T) {
	m, err := assembled(tileir.V13_2)
	if err != nil {
		t.Fatal(err)
	}
	data, err := bytecode.Write(m, tileir.V13_2, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := rows(t, data)
	for i, l := range listings {
		want, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(bodies[l.name]))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got[i], want) {
			t.Errorf("%s:\ngot  % x\nwant % x", l.title, got[i], want)
		}
	}
	same(t, "listings.13.2.tileirbc", data)
	again, err := bytecode.Write(m, tileir.V13_2, bytecode.Options{})
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("written twice: other bytes (%v)", err)
	}
	assembles(t, data)
}

// same compares with a committed file.
func same(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, want) {
		t.Errorf("%s: %d bytes, expected %d: not the same", name, len(data), len(want))
	}
}

// tool finds one of NVIDIA's tools: "" where it is not and CUTILE_REQUIRE does not ask for it.
func tool(t *testing.T, name string) string {
	t.Helper()
	if _, err := toolchain.Find(name); err != nil && !testenv.Required(name) {
		return ""
	}
	return testenv.Tool(t, name)
}

// assembles gives the bytes to the disassembler and the assembler, where they are.
func assembles(t *testing.T, data []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.tileirbc")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if dis := tool(t, "tileirdisasm"); dis != "" {
		if out, err := exec.Command(dis, path).CombinedOutput(); err != nil {
			t.Errorf("tileirdisasm: %v: %s", err, out)
		} else if m, _, err := bytecode.Read(data); err != nil || text.Sprint(m) != string(out) {
			t.Errorf("the text is not that of tileirdisasm (%v)", err)
		}
	}
	if as := tool(t, "tileiras"); as != "" {
		if out, err := exec.Command(as, "--gpu-name=sm_107", "-o", path+".cubin", path).CombinedOutput(); err != nil {
			t.Errorf("tileiras: %v: %s", err, out)
		}
	}
}

// TestCommonBytes writes one module in each version: the same content, other bytes.
func TestCommonBytes(t *testing.T) {
	var before []byte
	for _, v := range tileir.Versions() {
		m, err := versioned().Build(v)
		if err != nil {
			t.Fatal(err)
		}
		data, err := bytecode.Write(m, v, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "common."+v.String()+".tileirbc", data)
		if before != nil && bytes.Equal(before[12:], data[12:]) {
			t.Errorf("%v has the bytes of the version before", v)
		}
		before = data
		assembles(t, data)
	}
}

// TestVersions uses all that each version has: it is written and read, and refused for the version before.
func TestVersions(t *testing.T) {
	for _, v := range tileir.Versions() {
		var uses []func(*kernel)
		for _, d := range differences {
			if d.version <= v {
				uses = append(uses, d.use)
			}
		}
		m, err := versioned(uses...).Build(v)
		if err != nil {
			t.Fatal(err)
		}
		data, err := bytecode.Write(m, v, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "all."+v.String()+".tileirbc", data)
		assembles(t, data)
		if again, got, err := bytecode.Read(data); err != nil || got != v || text.Sprint(again) != text.Sprint(m) {
			t.Errorf("%v: read back as %v: %v", v, got, err)
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, d := range differences {
		if _, err := versioned(d.use).Build(d.version); err != nil {
			t.Errorf("%s in %v: %v", d.what, d.version, err)
		}
		b, old := versioned(d.use), d.version-1
		_, err := b.Build(old)
		_, werr := bytecode.Write(b.Module, old, bytecode.Options{})
		switch {
		case d.absent == "":
			if err != nil || werr != nil {
				t.Errorf("%s in %v: %v, %v; expected it to be left out", d.what, old, err, werr)
			}
		case err == nil || !strings.Contains(err.Error(), d.absent):
			t.Errorf("%s in %v: %v\nexpected %s", d.what, old, err, d.absent)
		case werr == nil && !strings.HasPrefix(d.what, "the hint"): // an older tool passes over a hint that it does not know
			t.Errorf("%s in %v: Write takes it", d.what, old)
		}
	}
}

func TestOutput(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```text\n"+out.String()+"```") {
		t.Errorf("README.md does not have what the program prints:\n%s", out.String())
	}
}
