package cute_test

import "github.com/cutile-go/cutile/cute"

// sides are arguments in a struct.
type sides struct{ From, To cute.Tensor[float32] }

const (
	blocksRace = iota
	threadsRace
	storeBeside
	loadBefore
	storeThroughStruct
)

func touchKernel(n int, at int, x cute.Tensor[int64], s sides) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	switch n {
	case blocksRace:
		if i == 0 {
			x.Set(int64(cute.BlockIdx().X), at)
		}
	case threadsRace:
		if i == 40 {
			s.To.Set(1, at)
		} else if i == 3 {
			s.From.Set(s.To.At(at), 0)
		}
	case storeBeside:
		x.Set(1, at)
	case loadBefore:
		x.Set(int64(s.From.At(at)), 0)
	case storeThroughStruct:
		s.To.Set(1, at)
	}
	return
}

func touchHost(n int, at int, x cute.Tensor[int64], from, to cute.Tensor[float32]) error {
	blocks := 1
	if n == blocksRace {
		blocks = 2
	}
	touchKernel(n, at, x, sides{from, to}).Launch(cute.Launch{Grid: cute.D3(blocks, 1, 1), Block: cute.D3(64, 1, 1)})
	return nil
}

var touch = cute.Jit(touchHost)

func beyond(x cute.Tensor[float32]) (_ cute.Kernel) {
	x.Set(1, x.Size()+100)
	return
}

func behind(x cute.Tensor[float32]) (_ cute.Kernel) {
	x.Set(1, x.Size()+100)
	return
}

// edge launches one of two kernels with the same code.
type edge interface{ launch(x cute.Tensor[float32]) }

type (
	far  struct{}
	near struct{}
)

func (far) launch(x cute.Tensor[float32])  { beyond(x).Launch(cute.Launch{Block: cute.D3(1, 1, 1)}) }
func (near) launch(x cute.Tensor[float32]) { behind(x).Launch(cute.Launch{Block: cute.D3(1, 1, 1)}) }

func runEither(e edge, x cute.Tensor[float32]) error {
	e.launch(x)
	return nil
}
