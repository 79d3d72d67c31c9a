package tileir

// Limits on how deep things lie within one another. The reader of bytecode and the parser of text have the same, and
// their errors name them, so that what one of them takes the other takes, too.
const (
	// MaxCallDepth is the most calls that an operation may have been inlined through, and the most blocks of a source
	// that lie in one another. Front ends inline every call: a helper that calls itself a hundred times is no mistake.
	MaxCallDepth = 1000
	// MaxDepth is the most regions in one another, and the most attributes.
	MaxDepth = 200
)
