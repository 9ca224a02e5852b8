//go:build !linux && !darwin

package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
)

// Server exists on Linux and macOS only.
type Server struct{}

// Listen fails: a peer cannot be told from the server's own commands here.
func Listen(string, Handler, *slog.Logger) (*Server, error) { return nil, unsupported() }

// Close does nothing.
func (*Server) Close() error { return nil }

// Ask fails, as no server listens here.
func Ask(context.Context, string, Request) ([]Response, error) { return nil, unsupported() }

// Attach fails, as no server listens here.
func Attach(context.Context, string, func(error)) error { return unsupported() }

func unsupported() error {
	return fmt.Errorf("unsupported_platform: on %s a server cannot tell a person's command line from its own commands: %w",
		runtime.GOOS, errors.ErrUnsupported)
}
