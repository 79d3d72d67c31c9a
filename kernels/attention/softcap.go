package attention

import "github.com/cutile-go/cutile/tile"

// capped brings scores between -most and most: most·tanh(score/most). Without most, which is 0 then, they stay. Scores and most
// have the factor log2(e) in them.
func capped[M, N tile.Dim](score tile.F32T2[M, N], most float32) tile.F32T2[M, N] {
	if most > 0 {
		score = tile.F32T2[M, N](most) * tile.Tanh(score*tile.F32T2[M, N](1/most))
	}
	return score
}

// uncapped turns gradients of capped scores into those of the scores that were capped.
func uncapped[M, N tile.Dim](grad, score tile.F32T2[M, N], most float32) tile.F32T2[M, N] {
	if most > 0 {
		part := score * tile.F32T2[M, N](1/most)
		grad *= 1 - part*part
	}
	return grad
}
