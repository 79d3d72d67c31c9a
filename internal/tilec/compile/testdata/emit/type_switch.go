// A type switch is decided by the type that the operand has in this instance.
package emit

import . "github.com/cutile-go/cutile/tile"

func TypeSwitch(x In[F32T1[D8]], z Out[F32T1[D8]]) {
	z.Store(scaled(x.Load(z.Index(0))))
}

func scaled[T NumTile](x T) T {
	switch any(x).(type) {
	case I32T1[D8]:
		return x + 1
	case F32T1[D8]:
		return x * 2
	}
	return x
}
