package cute

// PipelineState is a place in the ring of a pipeline's stages: the zero PipelineState is the first one.
type PipelineState struct {
	Index int // of the stage
	Phase int // parity of the round: 0, 1, 0, …
}

// Next is the place behind s in a ring of so many stages.
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

// MakePipelineAsync is a pipeline whose stages so many threads fill, each of which commits, and so many threads release. All
// threads of the block call it.
func MakePipelineAsync(stages, producers, consumers int) PipelineAsync {
	return makePipeline(stages, producers, consumers, 0)
}

// MakePipelineTmaAsync is a pipeline whose stages one thread fills by asynchronous copies, see [BulkLoad] and [TensorLoad], of
// so many bytes together, and so many threads release. All threads of the block call it.
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

// Acquire waits until the producer may fill the stage. Of a pipeline of asynchronous copies one thread does it, then starts
// the copies that count at the stage's barrier, see [PipelineAsync.Barrier].
func (p PipelineAsync) Acquire(s PipelineState) {
	p.empty.Wait(s.Index, 1-s.Phase)
	if p.bytes > 0 {
		p.full.ArriveExpect(s.Index, p.bytes)
	}
}

// Barrier is the barriers, by stage, that asynchronous copies count at.
func (p PipelineAsync) Barrier() Mbarriers { return p.full }

// Commit says that this thread has filled its part of the stage; asynchronous copies do so by themselves.
func (p PipelineAsync) Commit(s PipelineState) {
	if p.bytes == 0 {
		p.full.Arrive(s.Index)
	}
}

// Wait waits until the stage is full.
func (p PipelineAsync) Wait(s PipelineState) { p.full.Wait(s.Index, s.Phase) }

// Release says that this thread no longer uses the stage.
func (p PipelineAsync) Release(s PipelineState) { p.empty.Arrive(s.Index) }

// TileScheduler deals the tiles of a problem out to blocks that live as long as the grid: block b gets the tiles b, b+n,
// b+2n, … of n blocks along X.
//
//	for s := cute.MakeTileScheduler(tiles); s.Valid(); s = s.Next() {
//		… s.Tile() …
//	}
type TileScheduler struct {
	tiles Shape
	at    int
}

// MakeTileScheduler begins with the first tile of the block. The shape counts tiles.
func MakeTileScheduler(tiles Shape) TileScheduler { return TileScheduler{tiles, ctaidX()} }

// Valid reports whether there is a tile.
func (s TileScheduler) Valid() bool { return s.at < s.tiles.Size() }

// Tile is the coordinate of the tile.
func (s TileScheduler) Tile() Coord { return IdxToCrd(s.at, s.tiles) }

// Index is the number of the tile.
func (s TileScheduler) Index() int { return s.at }

// GroupedTile is the coordinate of tile number i of (M,N) tiles, counted down the columns of bands of so many rows: tiles
// that run at the same time then share more of their operands in the L2 cache. Where tiles has no elements, or rows is 0, it
// divides by 0.
func GroupedTile(i int, tiles Shape, rows int) Coord {
	band := rows * tiles.At(1)
	first := i / band * rows
	have := min(rows, tiles.At(0)-first)
	return S(first+i%band%have, i%band/have)
}

// Next is the scheduler at the block's next tile.
func (s TileScheduler) Next() TileScheduler { return TileScheduler{s.tiles, s.at + nctaidX()} }
