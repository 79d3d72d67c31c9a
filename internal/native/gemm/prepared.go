package gemm

import (
	"sync"
	"sync/atomic"
)

// Prepared has what products with one specification have in common whatever their operands: their kernels, and how the operands are cut.
// To make it takes longer than a small product. The zero value is ready for use.
type Prepared struct {
	last atomic.Pointer[lastProduct]

	mu       sync.Mutex
	products map[productKey]*Product // without operands
	cuts     map[source]*cut         // the same for the same source, so that products share operands
}

// maxPrepared limits how many specifications are remembered. When there are more, all are forgotten.
const maxPrepared = 256

type productKey struct {
	Target
	ProductSpec
}

// lastProduct is what was asked for the last time: mostly all products of a kernel are alike but for their operands.
type lastProduct struct {
	key     productKey
	product *Product
}

// product gives the product for a specification, without operands.
func (p *Prepared) product(key productKey) (*Product, error) {
	if last := p.last.Load(); last != nil && last.key == key {
		return last.product, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.products[key]
	if out == nil {
		var err error
		if out, err = p.make(key); err != nil {
			return nil, err
		}
	}
	p.last.Store(&lastProduct{key, out})
	return out, nil
}

// Products counts the specifications that are remembered.
func (p *Prepared) Products() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.products)
}

func (p *Prepared) make(key productKey) (*Product, error) {
	out, err := prepare(key.Target, key.ProductSpec)
	if err != nil {
		return nil, err
	}
	if p.products == nil || len(p.products) >= maxPrepared {
		p.products, p.cuts = map[productKey]*Product{}, map[source]*cut{}
	}
	for i, s := range out.sources {
		if p.cuts[s] == nil {
			if p.cuts[s], err = newCut(s); err != nil {
				return nil, err
			}
		}
		out.cuts[i] = p.cuts[s]
	}
	p.products[key] = out
	return out, nil
}
