package emu_test

import (
	"fmt"
	"strings"
	"testing"
)

// crowd is blocks of which one writes a word and the others read it, those of lower numbers before it and those of higher numbers
// behind it, as a counter says that each waits for and adds to.
type crowd struct {
	blocks, writer int
	backward       bool   // later blocks come first
	cluster        string // as PTX
	order          string // how the counter orders: see orders
	scope          string // of the counter
	forgets        int    // a block for which it orders nothing: -1 for none
	read, write    string // the accesses
}

// orders are the instructions of the counter: what is before adding, behind waiting, and the semantics of both.
var orders = map[string]struct{ before, behind, add, wait string }{
	"nothing":         {"", "", "relaxed", "relaxed"},
	"release acquire": {"", "", "release", "acquire"},
	"acq_rel acquire": {"", "", "acq_rel", "acquire"},
	"fences":          {"fence.acq_rel.SCOPE;", "fence.acq_rel.SCOPE;", "relaxed", "relaxed"},
	"fence acquire":   {"fence.acq_rel.SCOPE;", "", "relaxed", "acquire"},
	"release fence":   {"", "fence.sc.SCOPE;", "release", "relaxed"},
}

// body is the kernel.
func (c *crowd) body() string {
	text := "setp.ne.u32 %p, %t, 0; @%p bra END;\n"
	if c.backward {
		text += fmt.Sprintf("sub.s32 %%b, %d, %%b;\n", c.blocks-1)
	}
	way := func(label, order, atLeast, access string) string {
		o := orders[order]
		return strings.NewReplacer("WAIT", "WAIT"+label, "SCOPE", c.scope).Replace(fmt.Sprintf(`WAIT:
ld.%s.SCOPE.global.b32 %%r, [%%f];
setp.lt.u32 %%p, %%r, %s; @%%p bra WAIT;
%s
%s
%s
atom.%s.SCOPE.global.add.u32 %%v, [%%f], 1;
bra END;
`, o.wait, atLeast, o.behind, access, o.before, o.add))
	}
	text += fmt.Sprintf("setp.eq.u32 %%q, %%b, %d; @%%q bra FORGETS;\n", c.forgets)
	all := func(tag, order string) string {
		jumps := fmt.Sprintf("setp.eq.u32 %%q, %%b, %d; @%%q bra W%s;\nsetp.gt.u32 %%q, %%b, %d; @%%q bra L%s;\n", c.writer, tag, c.writer, tag)
		return jumps + way("E"+tag, order, "0", c.read) + "L" + tag + ":\n" + way("L"+tag, order, fmt.Sprint(c.writer+1), c.read) +
			"W" + tag + ":\n" + way("W"+tag, order, fmt.Sprint(c.writer), c.write)
	}
	return text + all("A", c.order) + "FORGETS:\n" + all("B", "nothing")
}

// race is where a race is expected: "" for none.
func (c *crowd) race() string {
	shared := strings.Contains(c.read, ".relaxed.gpu") && strings.Contains(c.write, ".relaxed.gpu")
	switch {
	case c.scope != "gpu" && c.scope != "sys":
		return "flag"
	case !shared && (c.order == "nothing" || c.forgets >= 0):
		return "data"
	}
	return ""
}

// TestRacesOfCrowds: a block that writes what many blocks read races with each one that nothing orders, whether it writes before all,
// behind all or between them, and whichever block begins first.
func TestRacesOfCrowds(t *testing.T) {
	const n = 12
	reads := []string{"ld.global.b32 %v, [%d];", "ld.relaxed.gpu.global.b32 %v, [%d];", "ld.relaxed.cta.global.b32 %v, [%d];"}
	writes := []string{"st.global.b32 [%d], 7;", "st.relaxed.gpu.global.b32 [%d], 7;", "red.relaxed.gpu.global.add.u32 [%d], 7;", "red.relaxed.cta.global.add.u32 [%d], 7;"}
	for _, writer := range []int{0, n / 2, n - 1} {
		for _, backward := range []bool{false, true} {
			c := crowd{blocks: n, writer: writer, backward: backward, scope: "gpu", forgets: -1, read: reads[0], write: writes[0]}
			for order := range orders {
				c.run(t, func(c *crowd) { c.order = order })
				c.run(t, func(c *crowd) { c.order, c.cluster = order, pair })
			}
			for _, c.order = range []string{"release acquire", "fences"} {
				for _, scope := range []string{"sys", "cluster", "cta"} {
					c.run(t, func(c *crowd) { c.scope = scope })
				}
				for _, forgets := range []int{0, 1, n / 2, n/2 + 1, n - 1} {
					c.run(t, func(c *crowd) { c.forgets = forgets })
				}
			}
			for _, c.order = range []string{"nothing", "release acquire"} {
				for _, c.read = range reads {
					for _, c.write = range writes {
						c.run(t, func(*crowd) {})
					}
				}
			}
		}
	}
}

// run runs a changed kernel, and compares what it reports with race.
func (c crowd) run(t *testing.T, change func(c *crowd)) {
	change(&c)
	err := runRaces(t, c.blocks, c.cluster, c.body())
	switch want := c.race(); {
	case want == "" && err != nil:
		t.Errorf("%+v: %v", c, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), "data race in global memory at byte 0 of "+want)):
		t.Errorf("%+v: got %v, want a race at %s", c, err, want)
	}
}
