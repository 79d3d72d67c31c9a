package sasstest_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/sasstest"
)

// TestHotLoop finds the longest inner loop of a listing as cuobjdump prints it.
func TestHotLoop(t *testing.T) {
	const text = `
        /*0000*/                   MOV R1, c[0x0][0x28] ;                      /* 0x00000a0000017a02 */
                                                                               /* 0x000fe40000000f00 */
        /*0010*/                   LDG.E R2, [R4.64] ;                         /* 0x0000000404027981 */
        /*0020*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0030*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0040*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0050*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0060*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0070*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0080*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0090*/               @P0 BRA 0x10 ;                                  /* 0xffffffc000000947 */
        /*00a0*/                   LDG.E R2, [R4.64] ;                         /* 0x0000000404027981 */
        /*00b0*/                   SYNCS.PHASECHK.TRYWAIT P3, [R9], R8 ;       /* 0x0000000800037d75 */
        /*00c0*/              @!P3 BRA 0xb0 ;                                  /* 0xffffffc000000947 */
        /*00d0*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*00e0*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*00f0*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0100*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0110*/                   FADD R2, R2, 1 ;                            /* 0x3f80000002027421 */
        /*0120*/                   NOP ;                                       /* 0x0000000000007918 */
        /*0130*/                   FMUL R2, R2, 2 ;                            /* 0x4000000002027820 */
        /*0140*/              @!P1 BRA P2, 0xa0 ;                              /* 0xffffffc000000947 */
        /*0150*/               @P2 BRA 0x0 ;                                   /* 0xffffff6000000947 */
        /*0160*/                   EXIT ;                                      /* 0x000000000000794d */
        /*0170*/               @P2 BRA 0x20 ;                                  /* 0xffffff6000000947 */
        /*0180*/                   BRA 0x180;                                  /* 0xfffffff000007947 */
`
	p := sasstest.HotLoop(text)
	if p.Instructions != 10 || p.Loads != 1 {
		t.Errorf("%v", p)
	}
	if p := sasstest.HotLoop("        /*0000*/                   EXIT ;\n"); p.Instructions != 0 {
		t.Errorf("%v of a kernel without a loop", p)
	}
	loop := func(n, matrix, loads int) sasstest.Loop {
		return sasstest.Loop{Profile: sasstest.Profile{Instructions: n, Classes: map[sasstest.Class]int{sasstest.HMMA: matrix}}, Loads: loads}
	}
	for _, c := range []struct {
		ours, theirs sasstest.Loop
		want         float64
	}{
		{loop(30, 0, 0), loop(20, 0, 0), 1.5}, {loop(30, 0, 4), loop(20, 0, 2), 0.75}, {loop(30, 0, 4), loop(20, 0, 0), 1.5},
		{loop(30, 8, 4), loop(20, 4, 4), 0.75},
		{sasstest.Loop{Profile: loop(30, 8, 0).Profile, Products: 8 << 11}, sasstest.Loop{Profile: loop(20, 4, 0).Profile, Products: 4 << 12}, 1.5},
	} {
		if got, ok := sasstest.PerWork(c.ours, c.theirs); !ok || got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.ours, c.theirs, got, c.want)
		}
	}
}

// TestProductsOfLoop: instructions of 8 bits multiply twice as much as those of 16.
func TestProductsOfLoop(t *testing.T) {
	loop := func(op string) sasstest.Loop {
		text := "        /*0000*/                   MOV R0, R1 ;\n"
		for i := 1; i < 12; i++ {
			text += fmt.Sprintf("        /*%04x*/                   %s R0, R1, R2 ;\n", 16*i, op)
		}
		return sasstest.HotLoop(text + "        /*00c0*/                   BRA 0x0 ;\n        /*00d0*/                   EXIT ;\n")
	}
	for op, want := range map[string]int{"HMMA.16816.F32": 16 * 8 * 16, "QMMA.16832.F32.E4M3.E4M3": 16 * 8 * 32, "IMMA.16832.S8.S8": 16 * 8 * 32,
		"HGMMA.64x128x16.F32": 64 * 128 * 16, "QGMMA.64x128x32.F32": 64 * 128 * 32} {
		if got := loop(op).Products; got != 11*want {
			t.Errorf("%s: %d, want %d", op, got, 11*want)
		}
	}
}
