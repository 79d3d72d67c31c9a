package persistent

import "github.com/cutile-go/cutile/cute"

// peers represents the other blocks of the cluster. The blocks write to each other's shared memory. A cluster of one
// block has no peers.
type peers struct {
	blocks int            // static
	free   cute.Mbarriers // for each stage: the warps of the other blocks no longer read it
}

// makePeers prepares the barriers. All threads of the cluster call it. When it returns, the rings of all blocks are
// ready.
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

// wait waits until the other blocks no longer read a stage. The ring does the same for the block itself.
func (p peers) wait(at cute.PipelineState) {
	if p.blocks > 1 {
		p.free.WaitCluster(at.Index, 1-at.Phase)
	}
}

// load copies this block's part of a tile to all blocks.
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

// leave waits for the other blocks, since the shared memory to which they write no longer exists when a block ends.
func (p peers) leave() {
	if p.blocks > 1 {
		cute.ClusterSync()
	}
}
