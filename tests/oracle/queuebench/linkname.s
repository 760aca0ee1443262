// Empty on purpose: lets upstream.go declare a function without a body.
