package parallel

// DefaultBucket is how many bytes a bucket has without [WithBucket]: 25 MiB.
const DefaultBucket = 25 << 20

// alignment is the number of bytes at multiples of which gradients begin in a bucket, so that kernels can load them fast.
const alignment = 16

// MaxParts is how many parts a batch can have.
const MaxParts = 1024

// Option changes how [Gradients] are summed. All processes must give the same ones.
type Option func(*options)

type options struct {
	bucket int // bytes
	parts  int // of a batch, in all processes; 0 for one a process
	mean   bool
}

// WithBucket sets how many bytes a bucket has at most. A gradient that is longer is a bucket by itself. Sums of small buckets begin early but
// take longer in all, since each costs a message. [DefaultBucket] is the default.
func WithBucket(bytes int) Option { return func(o *options) { o.bucket = bytes } }

// WithParts divides a batch into n parts: each process computes n divided by [dist.Group.Size] of them, one after the other, and calls
// [Gradients.Ready] for all gradients of each. n must be the number of processes times a power of two; one process takes any number
// up to [MaxParts]. The default is one part a process.
//
// The sums of 2ᵏ parts in a process need further memory: k times that of all gradients.
func WithParts(n int) Option { return func(o *options) { o.parts = n } }

// WithMean divides the sums by the number of parts, which is that of processes without [WithParts]. Gradients must be floats.
func WithMean() Option { return func(o *options) { o.mean = true } }
