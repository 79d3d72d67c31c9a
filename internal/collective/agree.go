package collective

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/mpi"
)

// claim is what a process says that it is about to do: the kind, the bytes of the arrays that all have, the type, and what else matters.
type claim [7]int64

func (r *Request) claim(dst, src int) claim {
	k := kinds[r.Kind]
	c := claim{int64(r.Kind), 0, 0, int64(r.Elem)}
	if k.writes == all {
		c[1] = int64(dst)
	}
	if k.reads == all {
		c[2] = int64(src)
	}
	if k.reduces {
		c[4], c[5] = int64(r.Op), int64(r.Order)
	}
	if k.rooted != "" {
		c[6] = int64(r.Root)
	}
	return c
}

var opNames = [...]string{mpi.Sum: "Sum", mpi.Product: "Product", mpi.Max: "Max", mpi.Min: "Min"}

var orderNames = [...]string{Any: "", Ranks: " in order", Tree: " in a tree"}

// String is for messages.
func (c claim) String() string {
	kind, elem := Kind(c[0]), dtype.Type(c[3])
	text := kind.String()
	if kind == Barrier {
		return text
	}
	if k := kinds[kind]; k.reduces {
		text += " with " + opNames[c[4]] + orderNames[c[5]]
	}
	if k := kinds[kind]; k.rooted != "" {
		text += fmt.Sprintf(" %s rank %d", k.rooted, c[6])
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
