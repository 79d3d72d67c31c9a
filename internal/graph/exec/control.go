package exec

import (
	"context"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// control is a step that runs other programs, which depend on what has been computed.
type control struct {
	node       *ir.Node
	cond, body *Program // of a while loop
	then, or   *Program // of a choice
	first      int      // the number of its first array among the dynamic ones of a run
}

func newControl(ctx context.Context, dev *device.Device, n *ir.Node, sizes emit.Sizes) (*control, error) {
	c := &control{node: n}
	var err error
	sub := func(s ir.Sub) *Program {
		if err != nil {
			return nil
		}
		var p *Program
		p, err = Compile(ctx, dev, s.Params, s.Results, sizes)
		return p
	}
	switch a := n.Attr.(type) {
	case ir.WhileAttr:
		c.cond, c.body = sub(a.Cond), sub(a.Body)
	case ir.IfAttr:
		c.then, c.or = sub(a.Then), sub(a.Else)
	}
	return c, err
}

// close closes the programs.
func (c *control) close() {
	for _, p := range []*Program{c.cond, c.body, c.then, c.or} {
		if p != nil {
			p.Close()
		}
	}
}

// results gives the number of arrays that the step makes.
func (c *control) results() int {
	if c.body != nil {
		return len(c.body.outs)
	}
	return len(c.then.outs)
}

// do runs the programs and gives the arrays that the step makes.
func (c *control) do(r *run, in []*device.Tensor) ([]*device.Tensor, error) {
	if c.body == nil {
		yes, err := truth(r.ctx, in[0])
		if err != nil {
			return nil, err
		}
		if yes {
			return c.then.Run(r.ctx, r.stream, in[1:])
		}
		return c.or.Run(r.ctx, r.stream, in[1:])
	}
	state, own := in, false // own: the state is memory that only this loop uses
	for {
		cond, err := c.cond.Run(r.ctx, r.stream, state)
		if err != nil {
			return nil, err
		}
		more, err := truth(r.ctx, cond[0])
		cond[0].Memory.Close()
		if err != nil {
			return nil, err
		}
		n := len(c.body.outs)
		if !more {
			if own {
				return state[:n], nil
			}
			return c.copied(r, state[:n])
		}
		next, err := c.body.Run(r.ctx, r.stream, state)
		if err != nil {
			return nil, err
		}
		if own {
			release(state[:n])
		}
		state, own = append(next[:n:n], in[n:]...), true
	}
}

// copied copies the state of a loop that ended before its first turn.
func (c *control) copied(r *run, state []*device.Tensor) ([]*device.Tensor, error) {
	out := make([]*device.Tensor, len(state))
	for i, t := range state {
		size := int64(t.View.Len() * t.Elem.Size())
		mem, err := r.stream.Device().Alloc(size)
		if err != nil {
			return nil, err
		}
		if err := mem.Copy(0, t.Memory, int64(t.Address()-t.Memory.Address()), size); err != nil {
			return nil, err
		}
		out[i] = &device.Tensor{Memory: mem, View: t.View, Elem: t.Elem}
	}
	return out, nil
}

// release gives memory back when the work that uses it has ended.
func release(tensors []*device.Tensor) {
	for _, t := range tensors {
		t.Memory.Close()
	}
}

// truth waits for a bool.
func truth(ctx context.Context, t *device.Tensor) (bool, error) {
	var b [1]byte
	err := t.Memory.Read(ctx, b[:], int64(t.Address()-t.Memory.Address()))
	return b[0] != 0, err
}
