package persistent

import "github.com/cutile-go/cutile/cute"

// peers is the blocks of the cluster, which write to each other's shared memory. A block alone has none.
type peers struct {
	blocks int            // static
	free   cute.Mbarriers // by stage: the warps of the other blocks no longer read it there
}

// makePeers prepares the barriers. All threads of the cluster call it; the rings of all blocks are ready behind it.
func makePeers(blocks, stages, warps int) peers {
	if blocks == 1 {
		return peers{blocks: 1}
	}
	p := peers{blocks, cute.MakeMbarriers(stages)}
	if cute.ThreadIndex() == 0 {
		for i := range cute.Unroll(stages) {
			p.free.Init(i, (blocks-1)*warps)
		}
		cute.FenceBarrierInit()
	}
	cute.ClusterSync()
	return p
}

// wait waits until the other blocks no longer read a stage, as the ring does for the block itself.
func (p peers) wait(at cute.PipelineState) {
	if p.blocks > 1 {
		p.free.WaitCluster(at.Index, 1-at.Phase)
	}
}

// load brings this block's part of a tile to all blocks.
func (p peers) load(from cute.TensorMap, to cute.Tensor[cute.Float16], b cute.Mbarriers, i, k, row int) {
	if p.blocks == 1 {
		cute.TensorLoad(from, to, b, i, k, row)
		return
	}
	rows, rank := to.Size(0)/p.blocks, cute.ClusterRank()
	part := cute.LocalTile(to, cute.S(rows, to.Size(1)), cute.S(rank, 0))
	cute.TensorLoadMulticast(from, part, b, i, uint16(1<<p.blocks-1), k, row+rank*rows)
}

// release tells the other blocks that a warp no longer reads a stage.
func (p peers) release(at cute.PipelineState) {
	for i := range cute.Unroll(p.blocks - 1) {
		p.free.ArriveRemote(at.Index, (cute.ClusterRank()+i+1)%p.blocks)
	}
}

// leave waits for the other blocks: what they write to is gone when a block ends.
func (p peers) leave() {
	if p.blocks > 1 {
		cute.ClusterSync()
	}
}
