package tile

import "github.com/cutile-go/cutile/tile/op"

// The functions of this file form a bitonic network. It sorts lines of n elements, which are contiguous in a tile of
// rank 1. In stage (k, j), elements i and i+j are exchanged if they are in the wrong order, for each i whose bit j is
// clear. Blocks of k elements are sorted in alternating directions, and the last blocks, of n elements, all in the same
// direction.

// powers returns the distances of a network, the greatest first.
func powers() []int { return []int{2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1} }

func sortLine[T any](x T, n int, way Direction) T {
	for _, half := range reversed(powers()) {
		for _, j := range powers() {
			if 2*half <= n && j <= half {
				x = stage(x, j, 2*half, n, bool(way))
			}
		}
	}
	return x
}

func argSortLine[T, U any](x T, at U, n int, way Direction) (T, U) {
	for _, half := range reversed(powers()) {
		for _, j := range powers() {
			if 2*half <= n && j <= half {
				x, at = argStage(x, at, j, 2*half, n, bool(way))
			}
		}
	}
	return x, at
}

func reversed(list []int) []int {
	out := make([]int, len(list))
	for i, v := range list {
		out[len(list)-1-i] = v
	}
	return out
}

// exchange performs stage (k, J): it puts the smaller element of each pair first if the pair's block is sorted in
// ascending order.
func exchange[T, P, J any](x T, k, n int, back bool) T {
	y := op.Reshape[op.Cube[T, P, D2, J]](x)
	a, b := op.Extract[op.Cube[T, P, D1, J]](y, 0, 0, 0), op.Extract[op.Cube[T, P, D1, J]](y, 0, 1, 0)
	low, high := op.MinI(a, b), op.MaxI(a, b)
	if k < n {
		down := falling[op.Cube[T, P, D1, J], P, J](k, back)
		low, high = op.Select(down, high, low), op.Select(down, low, high)
	} else if back {
		low, high = high, low
	}
	return op.Reshape[T](op.Cat[op.Cube[T, P, D2, J]](low, high, 1))
}

// argExchange is like exchange. It moves indices along with the elements, and orders equal elements by index.
func argExchange[T, U, P, J any](x T, at U, k, n int, back bool) (T, U) {
	y, z := op.Reshape[op.Cube[T, P, D2, J]](x), op.Reshape[op.Cube[U, P, D2, J]](at)
	a, b := op.Extract[op.Cube[T, P, D1, J]](y, 0, 0, 0), op.Extract[op.Cube[T, P, D1, J]](y, 0, 1, 0)
	i, j := op.Extract[op.Cube[U, P, D1, J]](z, 0, 0, 0), op.Extract[op.Cube[U, P, D1, J]](z, 0, 1, 0)
	// b belongs before a in the requested order
	wrong := op.CmpI(b, a, op.LessThan)
	if back {
		wrong = op.CmpI(b, a, op.GreaterThan)
	}
	swap := op.OrI(wrong, op.AndI(op.CmpI(b, a, op.Equal), op.Retype[op.Mask[op.Cube[T, P, D1, J]]](op.CmpI(j, i, op.LessThan))))
	if k < n {
		swap = op.XorI(swap, falling[op.Cube[T, P, D1, J], P, J](k, false))
	}
	m := op.Retype[op.Mask[op.Cube[U, P, D1, J]]](swap)
	y = op.Cat[op.Cube[T, P, D2, J]](op.Select(swap, b, a), op.Select(swap, a, b), 1)
	z = op.Cat[op.Cube[U, P, D2, J]](op.Select(m, j, i), op.Select(m, i, j), 1)
	return op.Reshape[T](y), op.Reshape[U](z)
}

// falling returns a mask of the pairs whose block of k elements is sorted in the opposite direction.
func falling[C, P, J any](k int, back bool) op.Mask[C] {
	p := op.Iota[op.Line[I32, P]]()
	bit := op.Constant[op.Line[I32, P]](k / (2 * op.Extent[J]()))
	down := op.CmpI(op.AndI(p, bit), op.Constant[op.Line[I32, P]](0), op.NotEqual)
	if back {
		down = op.CmpI(op.AndI(p, bit), op.Constant[op.Line[I32, P]](0), op.Equal)
	}
	return op.Broadcast[op.Mask[C]](op.Reshape[op.Mask[op.Cube[I32, P, D1, D1]]](down))
}

// stage determines the extents of a stage: P pairs of runs of J elements.
func stage[T any](x T, j, k, n int, back bool) T {
	switch j {
	case 1:
		return stageOf[T, D1](x, k, n, back)
	case 2:
		return stageOf[T, D2](x, k, n, back)
	case 4:
		return stageOf[T, D4](x, k, n, back)
	case 8:
		return stageOf[T, D8](x, k, n, back)
	case 16:
		return stageOf[T, D16](x, k, n, back)
	case 32:
		return stageOf[T, D32](x, k, n, back)
	case 64:
		return stageOf[T, D64](x, k, n, back)
	case 128:
		return stageOf[T, D128](x, k, n, back)
	case 256:
		return stageOf[T, D256](x, k, n, back)
	case 512:
		return stageOf[T, D512](x, k, n, back)
	case 1024:
		return stageOf[T, D1024](x, k, n, back)
	case 2048:
		return stageOf[T, D2048](x, k, n, back)
	}
	return x
}

func stageOf[T, J any](x T, k, n int, back bool) T {
	switch op.Size[T]() / (2 * op.Extent[J]()) {
	case 1:
		return exchange[T, D1, J](x, k, n, back)
	case 2:
		return exchange[T, D2, J](x, k, n, back)
	case 4:
		return exchange[T, D4, J](x, k, n, back)
	case 8:
		return exchange[T, D8, J](x, k, n, back)
	case 16:
		return exchange[T, D16, J](x, k, n, back)
	case 32:
		return exchange[T, D32, J](x, k, n, back)
	case 64:
		return exchange[T, D64, J](x, k, n, back)
	case 128:
		return exchange[T, D128, J](x, k, n, back)
	case 256:
		return exchange[T, D256, J](x, k, n, back)
	case 512:
		return exchange[T, D512, J](x, k, n, back)
	case 1024:
		return exchange[T, D1024, J](x, k, n, back)
	case 2048:
		return exchange[T, D2048, J](x, k, n, back)
	case 4096:
		return exchange[T, D4096, J](x, k, n, back)
	case 8192:
		return exchange[T, D8192, J](x, k, n, back)
	case 16384:
		return exchange[T, D16384, J](x, k, n, back)
	case 32768:
		return exchange[T, D32768, J](x, k, n, back)
	case 65536:
		return exchange[T, D65536, J](x, k, n, back)
	}
	return x
}

// argStage is like stage, with indices.
func argStage[T, U any](x T, at U, j, k, n int, back bool) (T, U) {
	switch j {
	case 1:
		return argStageOf[T, U, D1](x, at, k, n, back)
	case 2:
		return argStageOf[T, U, D2](x, at, k, n, back)
	case 4:
		return argStageOf[T, U, D4](x, at, k, n, back)
	case 8:
		return argStageOf[T, U, D8](x, at, k, n, back)
	case 16:
		return argStageOf[T, U, D16](x, at, k, n, back)
	case 32:
		return argStageOf[T, U, D32](x, at, k, n, back)
	case 64:
		return argStageOf[T, U, D64](x, at, k, n, back)
	case 128:
		return argStageOf[T, U, D128](x, at, k, n, back)
	case 256:
		return argStageOf[T, U, D256](x, at, k, n, back)
	case 512:
		return argStageOf[T, U, D512](x, at, k, n, back)
	case 1024:
		return argStageOf[T, U, D1024](x, at, k, n, back)
	case 2048:
		return argStageOf[T, U, D2048](x, at, k, n, back)
	}
	return x, at
}

func argStageOf[T, U, J any](x T, at U, k, n int, back bool) (T, U) {
	switch op.Size[T]() / (2 * op.Extent[J]()) {
	case 1:
		return argExchange[T, U, D1, J](x, at, k, n, back)
	case 2:
		return argExchange[T, U, D2, J](x, at, k, n, back)
	case 4:
		return argExchange[T, U, D4, J](x, at, k, n, back)
	case 8:
		return argExchange[T, U, D8, J](x, at, k, n, back)
	case 16:
		return argExchange[T, U, D16, J](x, at, k, n, back)
	case 32:
		return argExchange[T, U, D32, J](x, at, k, n, back)
	case 64:
		return argExchange[T, U, D64, J](x, at, k, n, back)
	case 128:
		return argExchange[T, U, D128, J](x, at, k, n, back)
	case 256:
		return argExchange[T, U, D256, J](x, at, k, n, back)
	case 512:
		return argExchange[T, U, D512, J](x, at, k, n, back)
	case 1024:
		return argExchange[T, U, D1024, J](x, at, k, n, back)
	case 2048:
		return argExchange[T, U, D2048, J](x, at, k, n, back)
	case 4096:
		return argExchange[T, U, D4096, J](x, at, k, n, back)
	case 8192:
		return argExchange[T, U, D8192, J](x, at, k, n, back)
	case 16384:
		return argExchange[T, U, D16384, J](x, at, k, n, back)
	case 32768:
		return argExchange[T, U, D32768, J](x, at, k, n, back)
	case 65536:
		return argExchange[T, U, D65536, J](x, at, k, n, back)
	}
	return x, at
}
