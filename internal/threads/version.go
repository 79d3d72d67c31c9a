package threads

// Version names the code that this package makes: it changes whenever the code for any module does, so that what is kept of an older
// one is not taken for it. TestVersion of internal/testing/threadtest holds it against the code.
const Version = "38"
