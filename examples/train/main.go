// Command train trains a small language model on a text. It starts the command of this name in the module examples/apps, where its source is.
package main

import "github.com/cutile-go/cutile/examples/internal/app"

func main() { app.Main("train") }
