package simt

// Lacks is the mistake of a text that asks for what the emulator does not have, but GPUs do.
func Lacks(what string) string { return "the emulator has no " + what + ": run the kernel on a GPU" }
