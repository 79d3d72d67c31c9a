package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox/optable"
)

func TestOps(t *testing.T) {
	for _, c := range []struct {
		version string
		want    int // operations of a body; entry, global and module are none
	}{{"13.1", 92 - 3}, {"13.2", 93 - 3}, {"13.3", 100 - 3}, {"13.4", 105 - 3}, {"", 105 - 3}} {
		args := []string{"ops"}
		if c.version != "" {
			args = append(args, "-version", c.version)
		}
		lines := strings.Split(strings.TrimSpace(must(t, args...)), "\n")
		if len(lines) != c.want+1 {
			t.Errorf("-version %q: %d operations, want %d", c.version, len(lines)-1, c.want)
		}
		var list []optable.Op
		if err := json.Unmarshal([]byte(must(t, append(args, "-json")...)), &list); err != nil || len(list) != c.want {
			t.Fatalf("-version %q: %d operations as JSON, %v", c.version, len(list), err)
		}
		for i, f := range list {
			if words := strings.Fields(lines[i+1]); words[0] != f.Name || words[2] != f.Since || (words[3] == "yes") != f.CPU || f.Meaning == "" {
				t.Errorf("the line %q does not fit %+v", lines[i+1], f)
			}
		}
	}
	golden(t, "ops.txt", must(t, "ops"))
	for _, name := range []string{"load_ptr_tko", "for", "atomic_red_view_tko", "mmaf_scaled", "yield"} {
		golden(t, "ops-"+name+".txt", must(t, "ops", name))
	}
}

// TestOpsVersion has fields and names that older versions lack.
func TestOpsVersion(t *testing.T) {
	for _, c := range []struct {
		args string
		has  []string
		not  []string
	}{
		{"ops for", []string{"unsignedCmp", "since 13.2"}, nil},
		{"ops -version 13.1 for", nil, []string{"unsignedCmp"}},
		{"ops print_tko", []string{"result_token", "since 13.2"}, nil},
		{"ops -version 13.1 print_tko", nil, []string{"result_token"}},
		{"ops pow -version 13.3", []string{"pow: "}, []string{"fpowf"}},
		{"ops pow", []string{"fpowf: "}, nil},
		{"ops -arch sm_100 mmaf_scaled", []string{"lhs        tile of f8E4M3FN|f8E5M2|f4E2M1FN\n"}, []string{"refuses"}},
		{"ops -arch sm_90", []string{"\nmmaf "}, []string{"mmaf_scaled"}},
		{"ops -arch sm_90 ftof", []string{"tile of f16|"}, []string{"f4E2M1FN", "f8E8M0FNU"}},
		{"ops -arch sm_100f mmaf_scaled", []string{"lhs        tile of f8E4M3FN|f8E5M2|f4E2M1FN\n"}, []string{"refuses"}},
		{"ops -arch sm_80 mmaf", nil, []string{"f8E4M3FN"}},
		{"ops -arch sm_86 atomic_rmw_tko", []string{"the architecture refuses: addf of bf16\n"}, nil},
		{"ops -version 13.1 ftof", nil, []string{"f8E8M0FNU"}},
		{"ops -json addf", []string{`"opcode": 2,`, `"nearest_even"`, `"cpu": true`}, nil},
	} {
		out := must(t, strings.Fields(c.args)...)
		for _, want := range c.has {
			if !strings.Contains(out, want) {
				t.Errorf("%s: got\n%swant %q", c.args, out, want)
			}
		}
		for _, want := range c.not {
			if strings.Contains(out, want) {
				t.Errorf("%s: got\n%swhich has %q", c.args, out, want)
			}
		}
	}
	checkRefusals(t, []refusal{
		{"", "ops addx", exitUsage, "cutile ops: there is no operation \"addx\"; see `cutile help ops`"},
		{"", "ops mma", exitUsage, `there is no operation "mma": do you mean mmaf, mmai, mmaf_scaled?`},
		{"", "ops entry", exitUsage, `there is no operation "entry"`},
		{"", "ops -arch sm_90 mmaf_scaled", exitUsage, "sm_90 does not take mmaf_scaled"},
		{"", "ops -arch sm_90afaf", exitUsage, `-arch: "sm_90afaf" is not one of sm_80, `},
		{"", "ops -arch 90", exitUsage, `-arch: "90" is not one of sm_80, `},
		{"", "ops a b", exitUsage, "want one operation, got 2"},
		{"", "ops -version 13.1 atan2", exitUsage, "atan2 needs version 13.2, but -version is 13.1"},
		{"", "ops -version 2", exitUsage, `-version: "2" is not one of`},
	})
}
