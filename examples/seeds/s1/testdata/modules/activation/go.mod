module example.com/activation

go 1.26.0

require github.com/cutile-go/cutile v0.0.0

replace github.com/cutile-go/cutile => ../../../../../..
