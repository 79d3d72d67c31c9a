//go:build !linux

package fake

// threadID would tell threads apart; here all share one current context.
func threadID() int { return 0 }
