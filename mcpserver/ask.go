package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// rootsWait is how long the host may take to name its roots.
const rootsWait = 2 * time.Second

// ask sends a request to the host and waits for its answer. Only hosts of the
// old era may be asked.
func (c *conn) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	c.mu.Lock()
	if c.mute {
		c.mu.Unlock()
		return nil, errGone
	}
	c.lastAsk++
	id := fmt.Sprintf(`"raw-%d"`, c.lastAsk)
	reply := make(chan frame, 1)
	c.replies[id] = reply
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.replies, id)
		c.mu.Unlock()
	}()
	body, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  any             `json:"params,omitempty"`
	}{"2.0", json.RawMessage(id), method, params})
	if err != nil {
		return nil, err
	}
	c.write(append(body, '\n'))
	select {
	case f := <-reply:
		if f.Error != nil {
			return nil, fmt.Errorf("ask the host for %s: it answered %s", method, f.Error)
		}
		return f.Result, nil
	case <-ctx.Done():
		c.notify("notifications/cancelled", map[string]any{"requestId": json.RawMessage(id), "reason": "the call that asked has ended"})
		return nil, fmt.Errorf("ask the host for %s: %w", method, context.Cause(ctx))
	}
}

// answered hands an answer to whoever waits for it; a late one is dropped.
func (c *conn) answered(f frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if reply := c.replies[string(f.ID)]; reply != nil {
		delete(c.replies, string(f.ID))
		reply <- f
	}
}

// noAnswers ends every question: the host's end is closed, so no answer will
// come.
func (c *conn) noAnswers() {
	close(c.inputEnded)
	c.session.Interrupt("the host closed its end of the connection") // first: nothing else ends a question then
	c.mu.Lock()
	c.mute = true
	for id, reply := range c.replies {
		delete(c.replies, id)
		reply <- frame{Error: json.RawMessage(`"the host closed its end of the connection"`)}
	}
	c.mu.Unlock()
	c.parking.cancelAll()
}

// hostRoots asks the host for the folders it works in. Nil without an error
// means that this host does not tell.
func (c *conn) hostRoots(ctx context.Context) ([]string, error) {
	if !c.core.offersRoots() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, rootsWait)
	defer cancel()
	body, err := c.ask(ctx, "roots/list", nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("read the host's roots: %w", err)
	}
	var roots []string
	var faults []error
	for _, r := range list.Roots {
		path, err := folderOf(r.URI)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		roots = append(roots, path)
	}
	if len(roots) == 0 {
		return nil, errors.Join(faults...)
	}
	return roots, nil
}

// folderOf is the folder that a file URI names.
func folderOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("the host's root %q is not a file URI of this machine", uri)
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), nil
}
