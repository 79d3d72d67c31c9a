package emu

// specials gives each special register its place behind a function's registers; "smem" is the address of a block's shared
// memory.
var specials = func() map[string]int {
	places := map[string]int{}
	for i, s := range specialTable {
		places[s.name] = i
	}
	return places
}()

// specialTable says what the special registers hold. Those that change while a kernel runs are counters: all lanes read
// the number of instructions that their warp has begun.
var specialTable = []struct {
	name  string
	value func(w *warp, lane int) uint64
}{
	{"smem", func(w *warp, _ int) uint64 { return uint64(w.block.rank) << rankShift }},
	{"%tid.x", func(w *warp, l int) uint64 { return uint64(w.thread(l)[0]) }},
	{"%tid.y", func(w *warp, l int) uint64 { return uint64(w.thread(l)[1]) }},
	{"%tid.z", func(w *warp, l int) uint64 { return uint64(w.thread(l)[2]) }},
	{"%ntid.x", func(w *warp, _ int) uint64 { return uint64(w.block.cluster.run.size[0]) }},
	{"%ntid.y", func(w *warp, _ int) uint64 { return uint64(w.block.cluster.run.size[1]) }},
	{"%ntid.z", func(w *warp, _ int) uint64 { return uint64(w.block.cluster.run.size[2]) }},
	{"%ctaid.x", func(w *warp, _ int) uint64 { return uint64(w.block.id[0]) }},
	{"%ctaid.y", func(w *warp, _ int) uint64 { return uint64(w.block.id[1]) }},
	{"%ctaid.z", func(w *warp, _ int) uint64 { return uint64(w.block.id[2]) }},
	{"%nctaid.x", func(w *warp, _ int) uint64 { return uint64(w.launch().Grid[0]) }},
	{"%nctaid.y", func(w *warp, _ int) uint64 { return uint64(w.launch().Grid[1]) }},
	{"%nctaid.z", func(w *warp, _ int) uint64 { return uint64(w.launch().Grid[2]) }},
	{"%laneid", func(_ *warp, l int) uint64 { return uint64(l) }},
	{"%warpid", func(w *warp, _ int) uint64 { return uint64(w.index) }},
	{"%nwarpid", func(*warp, int) uint64 { return 64 }},
	{"%smid", func(*warp, int) uint64 { return 0 }},
	{"%nsmid", func(*warp, int) uint64 { return 1 }},
	{"%gridid", func(*warp, int) uint64 { return 0 }},
	{"%lanemask_eq", func(_ *warp, l int) uint64 { return 1 << l }},
	{"%lanemask_lt", func(_ *warp, l int) uint64 { return 1<<l - 1 }},
	{"%lanemask_le", func(_ *warp, l int) uint64 { return 2<<l - 1 }},
	{"%lanemask_gt", func(_ *warp, l int) uint64 { return cut(^uint64(2<<l-1), 32) }},
	{"%lanemask_ge", func(_ *warp, l int) uint64 { return cut(^uint64(1<<l-1), 32) }},
	{"%clusterid.x", func(w *warp, _ int) uint64 { return uint64(w.block.id[0] / w.block.cluster.size[0]) }},
	{"%clusterid.y", func(w *warp, _ int) uint64 { return uint64(w.block.id[1] / w.block.cluster.size[1]) }},
	{"%clusterid.z", func(w *warp, _ int) uint64 { return uint64(w.block.id[2] / w.block.cluster.size[2]) }},
	{"%nclusterid.x", func(w *warp, _ int) uint64 { return uint64(w.launch().Grid[0] / w.block.cluster.size[0]) }},
	{"%nclusterid.y", func(w *warp, _ int) uint64 { return uint64(w.launch().Grid[1] / w.block.cluster.size[1]) }},
	{"%nclusterid.z", func(w *warp, _ int) uint64 { return uint64(w.launch().Grid[2] / w.block.cluster.size[2]) }},
	{"%cluster_ctaid.x", func(w *warp, _ int) uint64 { return uint64(w.block.id[0] % w.block.cluster.size[0]) }},
	{"%cluster_ctaid.y", func(w *warp, _ int) uint64 { return uint64(w.block.id[1] % w.block.cluster.size[1]) }},
	{"%cluster_ctaid.z", func(w *warp, _ int) uint64 { return uint64(w.block.id[2] % w.block.cluster.size[2]) }},
	{"%cluster_nctaid.x", func(w *warp, _ int) uint64 { return uint64(w.block.cluster.size[0]) }},
	{"%cluster_nctaid.y", func(w *warp, _ int) uint64 { return uint64(w.block.cluster.size[1]) }},
	{"%cluster_nctaid.z", func(w *warp, _ int) uint64 { return uint64(w.block.cluster.size[2]) }},
	{"%cluster_ctarank", func(w *warp, _ int) uint64 { return uint64(w.block.rank) }},
	{"%cluster_nctarank", func(w *warp, _ int) uint64 { return uint64(len(w.block.cluster.blocks)) }},
	{"%dynamic_smem_size", func(w *warp, _ int) uint64 { return uint64(len(w.block.shared) - w.launch().Static) }},
	{"%total_smem_size", func(w *warp, _ int) uint64 { return uint64(len(w.block.shared)) }},
	{"%envreg1", func(w *warp, _ int) uint64 { return w.block.cluster.run.workspace >> 32 }},
	{"%envreg2", func(w *warp, _ int) uint64 { return cut(w.block.cluster.run.workspace, 32) }},
	{"%clock", func(w *warp, _ int) uint64 { return cut(w.count, 32) }},
	{"%clock_hi", func(w *warp, _ int) uint64 { return w.count >> 32 }},
	{"%clock64", func(w *warp, _ int) uint64 { return w.count }},
	{"%globaltimer", func(w *warp, _ int) uint64 { return w.count }},
}

// counters are the special registers that change: whoever reads one sets it first.
var counters = map[string]bool{
	"%clock": true, "%clock_hi": true, "%clock64": true, "%globaltimer": true,
}

// special sets one special register.
func (w *warp) special(i int) {
	v := &w.v[len(w.fn.def.Regs)+i]
	for lane := range v {
		v[lane] = specialTable[i].value(w, lane)
	}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
