// Package threadtest runs what the compiler to threads makes: its PTX on the emulator, beside the CPU engine.
package threadtest
