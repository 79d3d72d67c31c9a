package emu

import "github.com/cutile-go/cutile/internal/simt"

// families has the decoder of each opcode, by the text before the first dot.
var families = map[string]func(d *decoder) exec{
	"add": arithmetic("add"), "sub": arithmetic("sub"), "div": arithmetic("div"), "rem": arithmetic("rem"),
	"mul": multiply, "mad": multiplyAdd, "fma": multiplyAdd,
	"addc": withCarry("add"), "subc": withCarry("sub"), "madc": withCarry("mad"),
	"min": extremes("min"), "max": extremes("max"), "abs": signs("abs"), "neg": signs("neg"), "sad": sad, "dp4a": dot, "dp2a": dotHalves,
	"mul24": multiply24, "mad24": multiply24, "bmsk": bitMask, "szext": extend, "fns": findNth, "slct": choose, "isspacep": isSpace,

	"rcp": analytic("rcp"), "sqrt": analytic("sqrt"), "rsqrt": analytic("rsqrt"), "sin": analytic("sin"), "cos": analytic("cos"),
	"lg2": analytic("lg2"), "ex2": analytic("ex2"), "tanh": analytic("tanh"), "copysign": copysign, "testp": testp,

	"and": logic("and"), "or": logic("or"), "xor": logic("xor"), "not": not, "cnot": cnot, "lop3": lop3,
	"shl": shift("shl"), "shr": shift("shr"), "shf": funnel, "prmt": permute,
	"popc": counting("popc"), "clz": counting("clz"), "brev": counting("brev"), "bfind": bfind, "bfe": bfe, "bfi": bfi,

	"set": set, "setp": setp, "selp": selp, "cvt": convert,
	"mov": move, "cvta": cvta, "ld": load, "st": store, "prefetch": nothingToDo, "prefetchu": nothingToDo, "applypriority": nothingToDo, "createpolicy": createPolicy,
	"atom": atomics, "red": atomics, "cp": cpAsync,

	"bra": branch, "exit": exit, "ret": exit, "trap": trap,
	"nanosleep": sleep, "pmevent": nothingToDo, "griddepcontrol": nothingToDo, "setmaxnreg": nothingToDo,
	"bar": bar, "barrier": bar, "membar": fence, "fence": fence, "mbarrier": mbarrierOp, "mapa": mapa, "getctarank": getctarank,
	"shfl": shuffle, "vote": vote, "match": match, "redux": redux, "activemask": activemask, "elect": elect,
	"ldmatrix": ldmatrix, "stmatrix": stmatrix, "movmatrix": movmatrix, "mma": mma, "wgmma": wgmma, "tcgen05": tcgen05,

	"tex": without("textures"), "tld4": without("textures"), "txq": without("textures"),
	"suld": without("surfaces"), "sust": without("surfaces"), "sured": without("surfaces"), "suq": without("surfaces"),
	"istypep": without("textures and surfaces"),

	"printf": printf, "assert": assertion, "call": callDriver, "check": checked, "undef": undefined, "launch": hostLaunch,
}

// without refuses instructions that the emulator does not implement.
func without(what string) func(d *decoder) exec {
	return func(d *decoder) exec {
		d.fail("%s", simt.Lacks(what))
		return nil
	}
}
