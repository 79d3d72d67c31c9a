// Package languagetest runs features of Go inside kernels, each of which must give there what it gives on the host.
package languagetest
