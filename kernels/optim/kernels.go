package optim

import "github.com/cutile-go/cutile/tile"

// In the kernels below p are weights and g their gradients, of elements E; a block has B of them. All computation is in float32.
// The Mixed kernels also store the weights in elements E, as w, for the next step of training.

// Plain computes p -= rate·g.
//
//cutile:entry
func Plain[E tile.FloatElem, B tile.Dim](p tile.Out[tile.F32T1[B]], g tile.In[tile.FloatTile1[E, B]], o SGDFactors) {
	p.Store(descend(o, p.LoadUnpadded(), tile.F32T1[B](g.LoadUnpadded(p.Index(0)))))
}

// PlainMixed is [Plain] with half-precision weights.
//
//cutile:entry
func PlainMixed[E tile.FloatElem, B tile.Dim](p tile.Out[tile.F32T1[B]], g tile.In[tile.FloatTile1[E, B]],
	w tile.Out[tile.FloatTile1[E, B]], o SGDFactors) {
	x := descend(o, p.LoadUnpadded(), tile.F32T1[B](g.LoadUnpadded(p.Index(0))))
	p.Store(x)
	w.Store(tile.FloatTile1[E, B](x))
}

// Momentum computes m = momentum·m + g, then p -= rate·m or, with Nesterov, p -= rate·(g + momentum·m).
//
//cutile:entry
func Momentum[E tile.FloatElem, B tile.Dim](p, m tile.Out[tile.F32T1[B]], g tile.In[tile.FloatTile1[E, B]], o SGDFactors) {
	x, mean := roll(o, p.LoadUnpadded(), m.LoadUnpadded(), tile.F32T1[B](g.LoadUnpadded(p.Index(0))))
	p.Store(x)
	m.Store(mean)
}

// MomentumMixed is [Momentum] with half-precision weights.
//
//cutile:entry
func MomentumMixed[E tile.FloatElem, B tile.Dim](p, m tile.Out[tile.F32T1[B]], g tile.In[tile.FloatTile1[E, B]],
	w tile.Out[tile.FloatTile1[E, B]], o SGDFactors) {
	x, mean := roll(o, p.LoadUnpadded(), m.LoadUnpadded(), tile.F32T1[B](g.LoadUnpadded(p.Index(0))))
	p.Store(x)
	m.Store(mean)
	w.Store(tile.FloatTile1[E, B](x))
}

// AdamStep computes m = β₁·m + (1-β₁)·g and v = β₂·v + (1-β₂)·g², then p -= rate·m̂/(√v̂ + ε), where m̂ and v̂ are m and v without
// the bias towards their start at 0. decay·p is added to g or, for AdamW, rate·decay·p is taken off p.
//
//cutile:entry
func AdamStep[E tile.FloatElem, B tile.Dim](p, m, v tile.Out[tile.F32T1[B]], g tile.In[tile.FloatTile1[E, B]], s AdamFactors) {
	x, mean, square := adam(s, p.LoadUnpadded(), m.LoadUnpadded(), v.LoadUnpadded(), tile.F32T1[B](g.LoadUnpadded(p.Index(0))))
	p.Store(x)
	m.Store(mean)
	v.Store(square)
}

// AdamMixed is [AdamStep] with half-precision weights.
//
//cutile:entry
func AdamMixed[E tile.FloatElem, B tile.Dim](p, m, v tile.Out[tile.F32T1[B]], g tile.In[tile.FloatTile1[E, B]],
	w tile.Out[tile.FloatTile1[E, B]], s AdamFactors) {
	x, mean, square := adam(s, p.LoadUnpadded(), m.LoadUnpadded(), v.LoadUnpadded(), tile.F32T1[B](g.LoadUnpadded(p.Index(0))))
	p.Store(x)
	m.Store(mean)
	v.Store(square)
	w.Store(tile.FloatTile1[E, B](x))
}

// LionStep computes p -= rate·(sign(β₁·m + (1-β₁)·g) + decay·p), then m = β₂·m + (1-β₂)·g.
//
//cutile:entry
func LionStep[E tile.FloatElem, B tile.Dim](p, m tile.Out[tile.F32T1[B]], g tile.In[tile.FloatTile1[E, B]], s LionFactors) {
	x, mean := lion(s, p.LoadUnpadded(), m.LoadUnpadded(), tile.F32T1[B](g.LoadUnpadded(p.Index(0))))
	p.Store(x)
	m.Store(mean)
}

// LionMixed is [LionStep] with half-precision weights.
//
//cutile:entry
func LionMixed[E tile.FloatElem, B tile.Dim](p, m tile.Out[tile.F32T1[B]], g tile.In[tile.FloatTile1[E, B]],
	w tile.Out[tile.FloatTile1[E, B]], s LionFactors) {
	x, mean := lion(s, p.LoadUnpadded(), m.LoadUnpadded(), tile.F32T1[B](g.LoadUnpadded(p.Index(0))))
	p.Store(x)
	m.Store(mean)
	w.Store(tile.FloatTile1[E, B](x))
}
