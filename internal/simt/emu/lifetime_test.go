package emu_test

import (
	"strings"
	"testing"
)

// one makes thread 0 do something.
func one(do string) string { return "setp.eq.u32 %p, %t, 0;\n@!%p bra J;\n" + do + "\nJ:\n" }

const (
	makeBarrier = "mbarrier.init.shared.b64 [s], 1;\n"
	copyBulk    = "mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+128], [%d], 16, [s];\n"
	await       = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q, [s], 0;\n@!%q bra WAIT;\n"
	sync        = "bar.sync 0;\n"
)

// second makes thread 40 do something.
func second(do string) string { return "setp.eq.u32 %p, %t, 40;\n@!%p bra K;\n" + do + "\nK:\n" }

// TestBarriersOfCopies: a copy of the async proxy counts only at an mbarrier of which the proxy knows, and writes only where it knows of
// what was written before.
func TestBarriersOfCopies(t *testing.T) {
	const (
		made = "there is no fence.mbarrier_init or fence.proxy.async between them"
		seen = "the async proxy writes it, and there is no fence.proxy.async between them"
		init = "fence.mbarrier_init.release.cluster;\n"
		all  = "fence.proxy.async.shared::cta;\n"
		put  = "and.b32 %r, %t, 3;\nshl.b32 %r, %r, 2;\nmov.u32 %v, s;\nadd.u32 %r, %r, %v;\nsetp.lt.u32 %p, %t, 4;\n@%p st.shared.b32 [%r+128], %t;\n"
		get  = "ld.shared.b32 %v, [s+128];\n"
	)
	for name, c := range map[string]struct{ body, want string }{
		"a fence of mbarriers":                 {one(makeBarrier+init+copyBulk) + sync + await, ""},
		"a fence of the proxy":                 {one(makeBarrier+all+copyBulk) + sync + await, ""},
		"no fence":                             {one(makeBarrier+copyBulk) + sync + await, made},
		"a fence before the mbarrier":          {one(init+makeBarrier+copyBulk) + sync + await, made},
		"another thread copies":                {one(makeBarrier+init) + sync + second(copyBulk) + sync + await, ""},
		"another thread copies, no fence":      {one(makeBarrier) + sync + second(copyBulk) + sync + await, made},
		"another thread's fence of the proxy":  {one(makeBarrier) + sync + second(all+copyBulk) + sync + await, ""},
		"another thread's fence of mbarriers":  {one(makeBarrier) + sync + second(init+copyBulk) + sync + await, made},
		"a fence that nobody waits for":        {one(makeBarrier) + sync + one2(init) + second("nanosleep.u32 100;\n"+copyBulk) + sync + await, made},
		"a fence of mbarriers by a neighbour":  {one(makeBarrier) + sync + strings.ReplaceAll(second(init), "40", "1") + sync + one2(copyBulk) + sync + await, made},
		"what was written, with a fence":       {put + all + one(makeBarrier+init) + sync + second(copyBulk) + sync + await, ""},
		"what was written, with a late fence":  {put + one(makeBarrier+init) + sync + second(all+copyBulk) + sync + await, ""},
		"what was written, without a fence":    {put + one(makeBarrier+init) + sync + second(copyBulk) + sync + await, seen},
		"what was read":                        {put + all + sync + get + one(makeBarrier+init) + sync + second(copyBulk) + sync + await, ""},
		"what was written, and nothing orders": {one(makeBarrier+init) + sync + put + second(copyBulk) + sync + await, "nothing orders them"},
	} {
		t.Run(name, func(t *testing.T) { wantRace(t, runRaces(t, 1, "", c.body), c.want) })
	}
}

// one2 is one, once more.
func one2(do string) string { return strings.ReplaceAll(one(do), "J", "M") }

// wantRace compares an error with what it must say, or "" for none.
func wantRace(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Error(err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestLifetimes: the memory of an mbarrier is for nothing else, until the mbarrier is no more, which must be when nobody uses it.
func TestLifetimes(t *testing.T) {
	const (
		touched = "touches the mbarrier at 0x0: mbarrier.inval must come first"
		again   = "there is an mbarrier at 0x0 already: mbarrier.inval must come first"
		end     = "mbarrier.inval.shared.b64 [s];\n"
		arrive  = "mbarrier.arrive.shared.b64 _, [s];\n"
	)
	for name, c := range map[string]struct{ body, want string }{
		"a store":                     {one(makeBarrier + "st.shared.b32 [s], 0;"), touched},
		"a store behind a barrier":    {one(makeBarrier) + sync + second("st.shared.b32 [s], 0;"), touched},
		"a copy from there":           {one("st.shared.v4.b32 [s], {0, 0, 0, 0};\n" + makeBarrier + "cp.async.bulk.global.shared::cta.bulk_group [%d], [s], 16;"), touched},
		"a store where one was":       {one(makeBarrier + "mbarrier.init.shared.b64 [s+8], 1;\n" + end + "st.shared.b64 [s], 0;"), ""},
		"a store of its second half":  {one(makeBarrier + "st.shared.b8 [s+7], 0;"), touched},
		"a store beside it":           {one(makeBarrier + "st.shared.b32 [s+8], 0;"), ""},
		"a wide store":                {one("mbarrier.init.shared.b64 [s+8], 1;\nst.shared.v4.b32 [s], {0, 0, 0, 0};"), "touches the mbarrier at 0x8"},
		"a load":                      {one("st.shared.b64 [s], 0;\n" + makeBarrier + "ld.shared.b32 %r, [s];"), touched},
		"an atomic operation":         {one("st.shared.b64 [s], 0;\n" + makeBarrier + "red.shared.add.u32 [s], 1;"), touched},
		"a copy":                      {one(makeBarrier + "cp.async.ca.shared.global [s], [%d], 8;\ncp.async.wait_all;"), touched},
		"a copy of the async proxy":   {one(makeBarrier + "mbarrier.init.shared.b64 [s+16], 1;\nfence.proxy.async;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d], 16, [s+16];"), touched},
		"another mbarrier":            {one(makeBarrier + makeBarrier), again},
		"another mbarrier afterwards": {one(makeBarrier + end + makeBarrier), ""},
		"a store afterwards":          {one(makeBarrier + end + "st.shared.b64 [s], 0;\nld.shared.b32 %r, [s];"), ""},
		"what it leaves":              {one(makeBarrier + end + "ld.shared.b32 %r, [s];"), "reads shared memory that has not been written"},
		"it ends while others wait":   {one(makeBarrier+arrive) + sync + await + one2(end), "nothing orders them"},
		"it ends when all have seen":  {one(makeBarrier+arrive) + sync + await + sync + one2(end), ""},
	} {
		t.Run(name, func(t *testing.T) { wantRace(t, runRaces(t, 1, "", c.body), c.want) })
	}
}
