package main

import "math"

// The same network in plain Go and float64, as a reference for the kernels.

// matrix is a matrix in row-major order.
type matrix struct {
	rows, cols int
	x          []float64
}

func newMatrix(rows, cols int) matrix { return matrix{rows, cols, make([]float64, rows*cols)} }

func matrixOf(x []float32, rows, cols int) matrix {
	m := newMatrix(rows, cols)
	for i, v := range x {
		m.x[i] = float64(v)
	}
	return m
}

func (m matrix) at(i, j int) float64 { return m.x[i*m.cols+j] }

// each returns a matrix of the same shape whose elements f computes.
func (m matrix) each(f func(i, j int) float64) matrix {
	r := newMatrix(m.rows, m.cols)
	for i := range r.rows {
		for j := range r.cols {
			r.x[i*r.cols+j] = f(i, j)
		}
	}
	return r
}

func (m matrix) t() matrix {
	return newMatrix(m.cols, m.rows).each(func(i, j int) float64 { return m.at(j, i) })
}

func (m matrix) times(b matrix) matrix {
	return newMatrix(m.rows, b.cols).each(func(i, j int) float64 {
		sum := 0.0
		for k := range m.cols {
			sum += m.at(i, k) * b.at(k, j)
		}
		return sum
	})
}

// sums adds up the columns.
func (m matrix) sums() matrix {
	return newMatrix(1, m.cols).each(func(_, j int) float64 {
		sum := 0.0
		for i := range m.rows {
			sum += m.at(i, j)
		}
		return sum
	})
}

// refNet holds the parameters of the network.
type refNet struct{ w1, b1, w2, b2 matrix }

func (n refNet) forward(x matrix) (hidden, scores matrix) {
	hidden = x.times(n.w1)
	hidden = hidden.each(func(i, j int) float64 { return max(0, hidden.at(i, j)+n.b1.at(0, j)) })
	scores = hidden.times(n.w2)
	return hidden, scores.each(func(i, j int) float64 { return scores.at(i, j) + n.b2.at(0, j) })
}

// refLoss returns the cross entropy of each row.
func refLoss(scores matrix, labels []int32) matrix {
	return newMatrix(scores.rows, 1).each(func(i, _ int) float64 {
		return logSumExp(scores, i) - scores.at(i, int(labels[i]))
	})
}

// refScoreGrad returns the gradient of the mean loss with respect to the scores.
func refScoreGrad(scores matrix, labels []int32) matrix {
	return scores.each(func(i, j int) float64 {
		p := math.Exp(scores.at(i, j) - logSumExp(scores, i))
		if j == int(labels[i]) {
			p--
		}
		return p / float64(scores.rows)
	})
}

func logSumExp(m matrix, i int) float64 {
	peak, sum := math.Inf(-1), 0.0
	for j := range m.cols {
		peak = max(peak, m.at(i, j))
	}
	for j := range m.cols {
		sum += math.Exp(m.at(i, j) - peak)
	}
	return peak + math.Log(sum)
}

// meanLoss returns the mean loss, which the training minimises.
func (n refNet) meanLoss(x matrix, labels []int32) float64 {
	_, scores := n.forward(x)
	return refLoss(scores, labels).sums().x[0] / float64(x.rows)
}
