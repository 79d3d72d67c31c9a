package dist

import (
	"time"

	"github.com/cutile-go/cutile/internal/collective"
)

// Option changes how a group works. All processes must give the same ones; [Join] compares them, but for WithLimit.
type Option func(*options)

type options struct {
	order  collective.Order
	checks bool
	limit  time.Duration
}

// WithOrder makes sums and products of floats come in the order of ranks: bit for bit what adding the tensor of rank 1 to that of rank 0,
// and then that of rank 2, gives, with any library and any number of machines. Otherwise the library chooses the order, which may change
// with the length and the number of processes. The order costs little time: each process sums a part for all, in Go.
// Integers, Max and Min have the same results always, and with MPI so have Float16 and BFloat16. It needs MPI.
func WithOrder() Option { return func(o *options) { o.order = collective.Ranks } }

// WithTree makes sums and products of float32 and float64 come by neighbours: the sum for n ranks is the sum for the first 2ᵏ ranks plus that
// for the others, where 2ᵏ is the greatest power of two below n. For four ranks that is (t₀ + t₁) + (t₂ + t₃). So a process that has summed the
// tensors of 2ʲ neighbours in this way gives the same bits as 2ʲ processes. It costs, and needs, what [WithOrder] does, and of both the option that comes
// last counts. Float16 and BFloat16 keep the order of ranks.
func WithTree() Option { return func(o *options) { o.order = collective.Tree } }

// WithChecks makes the processes tell each other what they are about to do before each collective: if they differ in function,
// reduction, root, element type or length, all of them get an error that says who does what, where otherwise they would wait forever or
// have wrong results. It costs one short exchange a collective, for which GPUs wait. [Send], [Recv] and [SendRecv] are not
// checked. It needs MPI.
func WithChecks() Option { return func(o *options) { o.checks = true } }

// WithLimit ends the job if one collective takes longer, and so [Group.Barrier] and [Group.Split], counted from when this process begins it (with
// NCCL: from when the collectives before it have ended, whether its call waits or the GPU): a message on standard error names the
// rank and the collective, and [Group.Abort] ends all processes with code 1; where MPI does not know the processes, this one ends, and the launcher ends the others.
// Nothing else stops a collective that has begun: a context ends the wait of Sync, Barrier and Split alone.
// Without the option, or with 0, collectives wait without end. [Join] has a context for that, and [Group.Close] waits as long as it takes.
func WithLimit(d time.Duration) Option { return func(o *options) { o.limit = d } }
