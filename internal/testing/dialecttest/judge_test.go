package dialecttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJudge: the judge notices what is wrong with us, on parts of our own.
func TestJudge(t *testing.T) {
	rs, err := readReasons()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readExcluded(); err != nil {
		t.Fatal(err)
	}
	const file = `// RUN: cuda-tile-opt %s | FileCheck %s
cuda_tile.module @m {
  // CHECK: entry @k(%[[X:.*]]: tile<i32>)
  entry @k(%x: tile<i32>) {
    // CHECK-NEXT: addi %[[X]], %[[X]]{{ *}} : tile<i32>
    // CHECK-NOT: subi
    %0 = addi %x, %x : tile<i32>
  }
}
// -----
cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // expected-error @below{{expects different type than prior uses}}
    %0 = addi %x, %x : tile<i64>
  }
}
// -----
cuda_tile.module @m {
  entry @k(%x: tile<2xi32>) { // expected-error{{must have scalar types}}
    %0 = addf %x, %x : tile<2xi32> // expected-error@+0 {{must be tile of f16}}
  }
}
`
	for change, want := range map[string]string{
		"":                                     "",
		"CHECK-NEXT: addi => CHECK-NEXT: muli": "file:1: FileCheck: line 5: muli",
		"CHECK-NOT: subi => CHECK-NOT: return": "file:1: FileCheck: line 6: return: found",
		"%x, %x : tile<i32> => %x, %y : tile<i32>":        "file:1: refused: error in line 7: %y is not defined here",
		"@below => @above":                                "file:11: expected error in line 12",
		"tile<i64> => tile<i32>":                          "file:11: accepted, but expected error in line 14",
		"different type than => indices, but got":         "file:11: expected error in line 14: expects indices, but got prior uses, but found",
		"must have scalar types => must be tile of i1":    "file:18: expected error in line 19",
		"{{must be tile of f16}} => {{nobody says this}}": "file:18: expected error in line 20: nobody says this",
	} {
		text := file
		if from, to, ok := strings.Cut(change, " => "); ok {
			if text = strings.Replace(file, from, to, 1); text == file {
				t.Fatalf("%s changes nothing", change)
			}
		}
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, "file"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		ps, err := parts(root, "file")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range ps {
			if what := p.judge(rs); what != "" {
				got = append(got, p.name()+": "+what)
			}
		}
		if len(got) > 1 || want == "" && len(got) > 0 || want != "" && (len(got) == 0 || !strings.HasPrefix(got[0], want)) {
			t.Errorf("%s: expected %q, but found %q", change, want, got)
		}
	}
}
