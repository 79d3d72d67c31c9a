package ptx

import (
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// lacking says what instructions belong to that NVIDIA's assembler takes and the emulator does not have, by the beginnings of their opcodes.
var lacking = []struct{ what, opcodes string }{
	{"matrix functions of wmma", "wmma."},
	{"sparse matrix products", "mma.sp. mma.sp::ordered_metadata. wgmma.mma_async.sp."},
	{"memory of several GPUs at once (multimem)", "multimem."},
	{"stack that grows (alloca)", "alloca. stacksave. stackrestore."},
	{"video instructions", "vadd. vsub. vabsdiff. vmin. vmax. vshl. vshr. vmad. vset. vadd2. vsub2. vavrg2. vabsdiff2. vmin2. vmax2. vset2. vadd4. vsub4. vavrg4. vabsdiff4. vmin4. vmax4. vset4."},
	{"jumps through tables (brx.idx)", "brx.idx. .branchtargets"},
	{"breakpoints", "brkpt"},
	{"discard, after which nobody knows what memory has", "discard."},
	{"memory of devices other than GPUs (mmio)", "ld.mmio. st.mmio."},
	{"tensor maps that kernels change", "tensormap. fence.proxy.tensormap::generic."},
	{"control of how clusters are launched", "clusterlaunchcontrol."},
	{"registers of 128 bits", "mov.b128"},
}

// opcodes are the instructions of PTX ISA 9.0 by their first word, without those of lacking.
var opcodes = words("abs activemask add addc and applypriority atom bar barrier bfe bfi bfind bmsk bra call clz cnot copysign cos cp createpolicy cvt cvta div " +
	"dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar " +
	"min mma mov movmatrix mul mul24 nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg setp shf " +
	"shfl shl shr sin slct sqrt st stmatrix sub subc suld suq sured sust szext tanh tcgen05 testp tex tld4 trap txq vote wgmma xor")

// specials are the special registers, by their beginnings, that the emulator does not have.
var specials = []string{"%envreg", "%pm", "%is_explicit_cluster", "%reserved_smem_offset", "%aggr_smem_size", "%current_graph_exec"}

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

// noInstruction is the mistake of an opcode that the table does not have: it may be one that the emulator lacks.
func (r *reader) noInstruction(t token) {
	for _, l := range lacking {
		for _, head := range strings.Fields(l.opcodes) {
			if strings.HasPrefix(t.text+".", head) {
				r.fail(t, "%s: %s", t.text, simt.Lacks(l.what))
			}
		}
	}
	if head, mods, _ := strings.Cut(t.text, "."); opcodes[head] && mods != "" {
		r.fail(t, "%s: the emulator has no %s with these modifiers: if ptxas takes it, run the kernel on a GPU", t.text, head)
	}
	r.unexpected(t, "an instruction")
}

// lacksSpecial refuses a special register that exists on GPUs.
func (r *reader) lacksSpecial(t token) {
	for _, s := range specials {
		if strings.HasPrefix(t.text, s) {
			r.fail(t, "%s", simt.Lacks("special register "+t.text))
		}
	}
}
