package tileir

// Limits on nesting. The reader of bytecode and the parser of text share them, and name them in errors, so that each accepts
// what the other accepts.
const (
	// MaxCallDepth is the maximum number of calls that an operation was inlined through, and of nested blocks of a source.
	// Front ends inline every call: a helper that calls itself a hundred times is valid.
	MaxCallDepth = 1000
	// MaxDepth is the maximum depth of nested regions, and of nested attributes.
	MaxDepth = 200
)
