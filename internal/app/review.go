package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"raw/contract"
	"raw/internal/proc"
)

// reviewLimit is how long a reviewer may take.
const reviewLimit = 30 * time.Second

// reviewRequest is what a reviewer reads: one JSON object and a newline.
type reviewRequest struct {
	Identity   contract.Identity `json:"identity"`
	Name       string            `json:"name"`
	Arguments  json.RawMessage   `json:"arguments"`
	Effects    json.RawMessage   `json:"effects,omitempty"`
	ToolCallID string            `json:"toolCallId,omitempty"`
	Reasons    []string          `json:"reasons"`
	Preview    string            `json:"preview,omitempty"`
}

// review runs the reviewer that the configuration names, nil when it names
// none. Only a clear answer in time lets a call through.
func (a *App) review() func(context.Context, contract.Approval) (string, error) {
	command := a.settings.Config.Approval.Reviewer
	if len(command) == 0 {
		return nil
	}
	return func(ctx context.Context, q contract.Approval) (string, error) {
		request := reviewRequest{
			Identity: q.Identity, Name: q.Name, Arguments: json.RawMessage(q.Arguments.JSON()),
			ToolCallID: q.ToolCallID, Reasons: q.Reasons, Preview: q.Preview,
		}
		if text := q.Effects.Source(); text != "" {
			request.Effects = json.RawMessage(text)
		}
		body, err := json.Marshal(request)
		if err != nil {
			return "", err
		}
		exit, err := a.runner.Run(ctx, proc.Spec{
			Path: command[0], Args: command[1:], Env: proc.Environment(a.settings.Environ, a.settings.Config.Bash.Env),
			Stdin: strings.NewReader(string(body) + "\n"), Timeout: reviewLimit, Keep: 64 << 10,
		})
		switch {
		case err != nil:
			return "", err
		case exit.TimedOut:
			return "", fmt.Errorf("no answer within %s", reviewLimit)
		case exit.Signal != "":
			return "", fmt.Errorf("killed by %s", exit.Signal)
		case exit.Code != 0:
			return "", fmt.Errorf("exit code %d", exit.Code)
		case exit.Stdout.Omitted() > 0:
			return "", errors.New("more than 64 KiB of output")
		}
		return reviewVerdict(append(exit.Stdout.Head, exit.Stdout.Tail...))
	}
}

// reviewVerdict reads {"decision": "allow" or "deny", "reason": "…"}; the
// reason of a denial is never empty.
func reviewVerdict(text []byte) (reason string, err error) {
	var v struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("read the verdict: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("read the verdict: something follows it")
	}
	switch {
	case v.Decision == "allow":
		return "", nil
	case v.Decision == "deny" && v.Reason != "":
		return v.Reason, nil
	case v.Decision == "deny":
		return "no reason given", nil
	}
	return "", fmt.Errorf("read the verdict: decision %q is neither allow nor deny", v.Decision)
}
