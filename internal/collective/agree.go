package collective

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/mpi"
)

// claim is what a process says that it is about to do.
type claim [6]int64

func (r *Request) claim(dst, src int) claim {
	c := claim{int64(r.Kind), int64(dst), int64(src), int64(r.Elem)}
	if r.Kind == AllReduce || r.Kind == ReduceScatter {
		c[4] = int64(r.Op)
		c[5] = int64(r.Order)
	}
	if r.Kind == Broadcast {
		c[4] = int64(r.To)
	}
	return c
}

var opNames = [...]string{mpi.Sum: "Sum", mpi.Product: "Product", mpi.Max: "Max", mpi.Min: "Min"}

var orderNames = [...]string{Any: "", Ranks: " in order", Tree: " in a tree"}

// String is for messages.
func (c claim) String() string {
	kind, elem := Kind(c[0]), dtype.Type(c[3])
	text := kind.String()
	switch {
	case kind == Barrier:
		return text
	case kind == Broadcast:
		text += fmt.Sprintf(" from rank %d", c[4])
	case kind == AllReduce || kind == ReduceScatter:
		text += " with " + opNames[c[4]]
		text += orderNames[c[5]]
	}
	return fmt.Sprintf("%s of %d %v", text, max(c[1], c[2])/int64(elem.Size()), elem)
}

// Agree asks all processes what they are about to do, with arrays of so many bytes. All of them get the same error where that differs. Do
// asks by itself.
func (c *Runner) Agree(r *Request, dst, src int) error {
	own := []claim{r.claim(dst, src)}
	all := make([]claim, c.wire.Size())
	if err := c.wire.Allgather(mpi.Int64, len(own[0]), bytesOf(all), bytesOf(own)); err != nil {
		return err
	}
	var text strings.Builder
	for rank, claim := range all {
		if rank == 0 || claim != all[rank-1] {
			fmt.Fprintf(&text, "; from rank %d on: %v", rank, claim)
		}
	}
	for _, claim := range all {
		if claim != all[0] {
			return fmt.Errorf("the ranks do not do the same%s", text.String())
		}
	}
	return nil
}
