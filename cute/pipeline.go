package cute

// PipelineState is a position in the ring of a pipeline's stages: the zero PipelineState is the first one.
type PipelineState struct {
	Index int // index of the stage
	Phase int // parity of the round: 0, 1, 0, …
}

// Next returns the position after s in a ring of the given number of stages.
func (s PipelineState) Next(stages int) PipelineState {
	s.Index++
	if s.Index == stages {
		s.Index, s.Phase = 0, 1-s.Phase
	}
	return s
}

// PipelineAsync is a ring of buffers between threads that fill them and threads that use them, with two barriers for each
// stage: full and empty (sm_90). Each side counts its own [PipelineState].
type PipelineAsync struct {
	full, empty Mbarriers
	Stages      int // static
	bytes       int // of a stage that asynchronous copies bring: 0 for producers that are threads
}

// MakePipelineAsync returns a pipeline, given how many threads fill each stage, each of which commits, and how many release it.
// All threads of the block call it.
func MakePipelineAsync(stages, producers, consumers int) PipelineAsync {
	return makePipeline(stages, producers, consumers, 0)
}

// MakePipelineTmaAsync returns a pipeline whose stages one thread fills by asynchronous copies (see [BulkLoad] and
// [TensorLoad]), given their total bytes and how many threads release each stage. All threads of the block call it.
func MakePipelineTmaAsync(stages, bytes, consumers int) PipelineAsync {
	return makePipeline(stages, 1, consumers, bytes)
}

func makePipeline(stages, producers, consumers, bytes int) PipelineAsync {
	p := PipelineAsync{MakeMbarriers(stages), MakeMbarriers(stages), stages, bytes}
	if ThreadIndex() == 0 {
		for i := range Unroll(stages) {
			p.full.Init(i, producers)
			p.empty.Init(i, consumers)
		}
		FenceBarrierInit()
	}
	SyncThreads()
	return p
}

// Acquire waits until the producer may fill the stage. In a pipeline of asynchronous copies one thread calls it, then starts
// the copies that count at the stage's barrier; see [PipelineAsync.Barrier].
func (p PipelineAsync) Acquire(s PipelineState) {
	p.empty.Wait(s.Index, 1-s.Phase)
	if p.bytes > 0 {
		p.full.ArriveExpect(s.Index, p.bytes)
	}
}

// Barrier returns the barriers, by stage, at which asynchronous copies count.
func (p PipelineAsync) Barrier() Mbarriers { return p.full }

// Commit signals that this thread has filled its part of the stage; asynchronous copies signal it by themselves.
func (p PipelineAsync) Commit(s PipelineState) {
	if p.bytes == 0 {
		p.full.Arrive(s.Index)
	}
}

// Wait waits until the stage is full.
func (p PipelineAsync) Wait(s PipelineState) { p.full.Wait(s.Index, s.Phase) }

// Release signals that this thread no longer uses the stage.
func (p PipelineAsync) Release(s PipelineState) { p.empty.Arrive(s.Index) }

// TileScheduler distributes the tiles of a problem over blocks that live as long as the grid: of n blocks along X, block b gets
// the tiles b, b+n, b+2n, ….
//
//	for s := cute.MakeTileScheduler(tiles); s.Valid(); s = s.Next() {
//		… s.Tile() …
//	}
type TileScheduler struct {
	tiles Shape
	at    int
}

// MakeTileScheduler returns a scheduler at the first tile of the block. The shape counts tiles.
func MakeTileScheduler(tiles Shape) TileScheduler { return TileScheduler{tiles, ctaidX()} }

// Valid reports whether the scheduler is at a tile.
func (s TileScheduler) Valid() bool { return s.at < s.tiles.Size() }

// Tile returns the coordinate of the tile.
func (s TileScheduler) Tile() Coord { return IdxToCrd(s.at, s.tiles) }

// Index returns the number of the tile.
func (s TileScheduler) Index() int { return s.at }

// GroupedTile returns the coordinate of tile number i of (M,N) tiles, counted down the columns of bands of the given number of
// rows: tiles that run at the same time then share more of their operands in the L2 cache. If tiles has no elements, or rows is
// 0, it divides by 0.
func GroupedTile(i int, tiles Shape, rows int) Coord {
	band := rows * tiles.At(1)
	first := i / band * rows
	have := min(rows, tiles.At(0)-first)
	return S(first+i%band%have, i%band/have)
}

// Next returns the scheduler at the block's next tile.
func (s TileScheduler) Next() TileScheduler { return TileScheduler{s.tiles, s.at + nctaidX()} }
