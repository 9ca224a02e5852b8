package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/BurntSushi/toml"
)

// maxFile bounds a file: about 30,000 rules.
const maxFile = 4 << 20

// Load reads the file at path. env is asked for the values env:NAME and for
// the folders that ~/ and $XDG_... stand for. What is wrong in the text comes
// back as a *FaultError; other errors are those of reading the file.
func Load(path string, env Env) (Config, error) {
	text, err := readFile(path)
	if err != nil {
		return Config{}, err
	}
	return Parse(path, text, env)
}

// Parse is Load for a text at hand; file stands in faults and rules.
func Parse(file string, text []byte, env Env) (Config, error) {
	cfg := Default()
	c := newChecker(file, text, env, reflect.TypeFor[Config]())
	if c.check() && len(c.list) == 0 && c.decode(&cfg) {
		c.complete(&cfg)
		c.agree(cfg)
		cfg.Tools.Rules = c.merge(cfg.Tools.Rules)
		c.replace(reflect.ValueOf(&cfg).Elem(), c.root.shape)
	}
	if err := c.err(); err != nil {
		return Config{}, err
	}
	return cfg, nil
}

// LoadRules reads managed.toml or law.toml: [[tools.rules]] with ask and deny,
// and nothing else. A missing file has no rules and is no error.
func LoadRules(path string) ([]Rule, error) {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(path); dangling != nil {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return parseRules(path, text)
}

func parseRules(file string, text []byte) ([]Rule, error) {
	var law struct {
		Tools struct {
			Rules []Rule `toml:"rules"`
		} `toml:"tools"`
	}
	noEnv := func(string) (string, bool) { return "", false }
	c := newChecker(file, text, noEnv, reflect.TypeOf(law))
	c.law = true
	if c.check() && len(c.list) == 0 && c.decode(&law) {
		law.Tools.Rules = c.merge(law.Tools.Rules)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	return law.Tools.Rules, nil
}

func newChecker(file string, text []byte, env Env, t reflect.Type) *checker {
	if len(text) >= 3 && string(text[:3]) == "\ufeff" {
		text = text[3:]
	}
	c := &checker{expander: expander{env}, shapes: shaper{}}
	// Without spare capacity an empty slice of the parser's errors has a place.
	c.faults = faults{file: file, text: text[:len(text):len(text)]}
	c.shape = c.shapes.of(t, "")
	return c
}

// decode fills v. What the check lets through and BurntSushi/toml does not,
// such as a table that is defined in two ways, is a fault like any other.
func (c *checker) decode(v any) bool {
	rest := c.cut()
	_, err := toml.Decode(string(rest.text), v)
	var at toml.ParseError
	switch {
	case errors.As(err, &at):
		c.add(rest.whole(at.Position.Start), "%s", at.Message)
	case err != nil:
		c.add(0, "%v", err)
	}
	return err == nil
}

// complete fills in the defaults of tables under names of the person's choice,
// for which there is no value to decode into.
func (c *checker) complete(cfg *Config) {
	for name, s := range cfg.MCP.Servers {
		s.Enabled = s.Enabled || !c.root.at("mcp", "servers", name, "enabled").given()
		s.Timeout = cmp.Or(s.Timeout, Duration(time.Minute))
		if s.Tools.Allow == nil {
			s.Tools.Allow = []string{"*"}
		}
		for i := range s.Panels {
			p := &s.Panels[i]
			p.Icon = cmp.Or(p.Icon, "panel")
			p.Placement = cmp.Or(p.Placement, "sidebar")
			p.Open = cmp.Or(p.Open, "never")
			p.Context = cmp.Or(p.Context, "none")
		}
		cfg.MCP.Servers[name] = s
	}
}

// agree checks what one value says about another.
func (c *checker) agree(cfg Config) {
	for name, s := range cfg.MCP.Servers {
		at := c.root.at("mcp", "servers", name)
		switch {
		case s.Command == "" && s.URL == "":
			c.add(at.offset(), "%s has neither command nor url", at.sub.self())
		case s.Command != "" && s.URL != "":
			c.add(at.offset(), "%s has both command and url; keep one", at.sub.self())
		}
	}
	var defaults []*slot
	for name, a := range cfg.Agents {
		if a.Default {
			defaults = append(defaults, c.root.at("agents", name, "default"))
		}
	}
	slices.SortFunc(defaults, func(a, b *slot) int { return cmp.Compare(a.offset(), b.offset()) })
	for _, s := range defaults[min(1, len(defaults)):] {
		c.add(s.offset(), "a second agent with default = true; keep one")
	}
}

func readFile(path string) ([]byte, error) {
	text, err := readRegular(path)
	var at *fs.PathError // says the path again
	if errors.As(err, &at) {
		err = at.Err
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(text) > maxFile {
		return nil, &FaultError{[]Fault{{path, 1, 1, fmt.Sprintf("the file is larger than %d MiB", maxFile>>20)}}}
	}
	return text, nil
}

func readRegular(path string) ([]byte, error) {
	f, err := openNonblock(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := regular(f.Stat()); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

func regular(info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a folder; name the file in it")
	case !info.Mode().IsRegular():
		return errors.New("it is a pipe, socket or device, not a regular file")
	}
	return nil
}
