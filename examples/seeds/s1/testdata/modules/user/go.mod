module example.com/user

go 1.26.0

require (
	example.com/activation v0.0.0
	example.com/plain v0.0.0
	github.com/cutile-go/cutile v0.0.0
)

replace (
	example.com/activation => ../activation
	example.com/plain => ../plain
	github.com/cutile-go/cutile => ../../../../../..
)
