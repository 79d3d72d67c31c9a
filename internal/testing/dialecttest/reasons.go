package dialecttest

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed reasons.txt
var reasonsText string

//go:embed excluded.txt
var excludedText string

// row ties the words in which the suite names a reason to ours.
type row struct {
	theirs, ours *regexp.Regexp
	used         bool
}

// reasons is the table of reasons.txt.
type reasons struct{ rows []*row }

func readReasons() (*reasons, error) {
	rs := &reasons{}
	for i, line := range strings.Split(reasonsText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		theirs, ours, ok := strings.Cut(line, " => ")
		if !ok {
			return nil, fmt.Errorf("reasons.txt:%d: expected \"theirs => ours\"", i+1)
		}
		a, err := regexp.Compile(strings.TrimSpace(theirs))
		if err != nil {
			return nil, fmt.Errorf("reasons.txt:%d: %w", i+1, err)
		}
		b, err := regexp.Compile(strings.TrimSpace(ours))
		if err != nil {
			return nil, fmt.Errorf("reasons.txt:%d: %w", i+1, err)
		}
		rs.rows = append(rs.rows, &row{theirs: a, ours: b})
	}
	return rs, nil
}

// same reports whether two texts name the same reason: the first row that knows theirs decides.
func (rs *reasons) same(theirs, ours string) bool {
	for _, r := range rs.rows {
		if r.theirs.MatchString(theirs) {
			r.used = true
			return r.ours.MatchString(ours)
		}
	}
	return false
}

// readExcluded gives the parts that are left out, by file and first line, with the reason.
func readExcluded() (map[string]string, error) {
	out := map[string]string{}
	for i, line := range strings.Split(excludedText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, why, ok := strings.Cut(line, " ")
		if !ok || strings.TrimSpace(why) == "" {
			return nil, fmt.Errorf("excluded.txt:%d: expected a part and a reason", i+1)
		}
		out[name] = strings.TrimSpace(why)
	}
	return out, nil
}
