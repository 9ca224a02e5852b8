// Package config reads the one TOML file of both programs, and the rule files
// of the machine's owner (managed.toml) and of a repository (law.toml).
//
// It checks every key, type, closed list and range, and names all faults of a
// file at once with their places. It does not compile rules, look at the
// folders that it names, or apply command-line flags: policy and internal/app
// do. Everything here may be called by several goroutines at once.
package config

//go:generate go run ./schemagen ../../docs/config.schema.json

import "time"

// The tags of a field are the one statement of what its key accepts; the
// checker and the schema generator both read them:
//
//	toml      the key
//	oneof     the accepted values, split by |
//	min, max  the bounds of a number or duration, both included
//	required  "true": the table is a fault without the key
//	path      "absolute": ~/, $XDG_CONFIG_HOME/ and $XDG_STATE_HOME/ are
//	          expanded and the result must be absolute; "expand": only expanded
//	or        a table of the file whose names are accepted beside oneof
//	env       "value": a value env:NAME stands for the variable NAME
//
// The comment of a field is the key's description in the schema.

// Config is the whole file with defaults filled in. A folder that is empty
// here stands for its default, which WithFolders fills in.
type Config struct {
	Workspace  Workspace  `toml:"workspace"`
	Tools      Tools      `toml:"tools"`
	Approval   Approval   `toml:"approval"`
	Hooks      Hooks      `toml:"hooks"`
	Bash       Bash       `toml:"bash"`
	Commitment Commitment `toml:"commitment"`
	Web        Web        `toml:"web"`
	Limits     Limits     `toml:"limits"`
	Ledger     Ledger     `toml:"ledger"`
	MCP        MCP        `toml:"mcp"`
	ACP        ACP        `toml:"acp"`
	// ACP agents by name, for [acp] agent and for the agent tool.
	Agents      map[string]Agent `toml:"agents"`
	AgentLimits AgentLimits      `toml:"agent_limits"`
	Log         Log              `toml:"log"`
}

// Workspace says where the tools work and with what authority.
type Workspace struct {
	// Folders that the tools work in, absolute or ~/. Empty: the flag --root, then what the host says.
	Roots []string `toml:"roots" path:"absolute"`
	// What the model may do: plan refuses writes and programs.
	Mode string `toml:"mode" oneof:"plan|work|operate"`
	// Who answers an approval: a person, the reviewer, or nobody.
	Posture string `toml:"posture" oneof:"ask|auto-review|full-access"`
}

// Tools says which tools there are and which calls the policy lets through.
type Tools struct {
	// Policy in order; the last match wins.
	Rules []Rule `toml:"rules"`
	// Folders with local tools. Empty: $XDG_CONFIG_HOME/raw/tools.
	Folders []string `toml:"folders" path:"absolute"`
	// Exact model names that are active from the start.
	AlwaysLoad []string `toml:"always_load"`
	// Exact identities that are treated as not registered.
	Disable []string `toml:"disable"`
	// Identities of external tools that plan mode may run.
	ReadOnly []string `toml:"read_only"`
	// Whether the names that other hosts use (Bash, File, ...) are accepted.
	CompatNames bool `toml:"compat_names"`
}

// Rule is one [[tools.rules]] of any of the three files.
type Rule struct {
	// Glob over the whole identity: * any run, ? one character.
	Match string `toml:"match" required:"true"`
	// What happens to a call that matches.
	Effect string `toml:"effect" oneof:"allow|ask|deny" required:"true"`
	// Condition on the call. Absent: every call of the matched tools.
	When *When `toml:"when"`
	// Why, as shown to the person and the model.
	Reason string `toml:"reason"`
	// Calls that must match: the tool's one required string, or a table of arguments.
	MatchExamples []any `toml:"match_examples"`
	// Calls that must not match, in the same two forms.
	NoMatchExamples []any `toml:"no_match_examples"`

	// File, Line and Column are the place of the rule's header. They are set
	// by the loader and are no keys.
	File   string `toml:"-"`
	Line   int    `toml:"-"`
	Column int    `toml:"-"`
}

// When is a rule's condition: any string found at Any in Source matches Regex.
type When struct {
	// What is looked at: arguments, effects, or another source of the tool.
	Source string `toml:"source" required:"true"`
	// Path of the value, such as programs[*].name.
	Any string `toml:"any" required:"true"`
	// RE2, unanchored.
	Regex string `toml:"regex" required:"true"`
}

// Approval says what is asked and how long an answer may take.
type Approval struct {
	// Classes that are asked for without a rule: "auto", or a list with "network" in it.
	Baseline Baseline `toml:"baseline"`
	// How long a person may take to answer.
	Timeout Duration `toml:"timeout" min:"1s" max:"1d"`
	// Command that answers in posture auto-review.
	Reviewer []string `toml:"reviewer" path:"expand"`
}

// Hooks says which hooks run.
type Hooks struct {
	// Folders with hooks. Empty: $XDG_CONFIG_HOME/raw/hooks.
	Folders []string `toml:"folders" path:"absolute"`
	// Hooks that run, as local/<folder>, in order.
	Use []string `toml:"use"`
}

// Bash configures the tool of that name.
type Bash struct {
	// Shell to run commands with. Empty: bash, else sh.
	Shell string `toml:"shell" path:"expand"`
	// Limit of a call that names none.
	Timeout Duration `toml:"timeout" min:"1s" max:"1h"`
	// Names of further variables that are passed on.
	Env []string `toml:"env"`
	// Whether PATH is taken from a login shell.
	LoginPath bool `toml:"login_path"`
	// Whether caches of build tools go to the session's scratch folder.
	ScratchCache bool `toml:"scratch_cache"`
}

// Commitment configures the record of what the runtime holds open.
type Commitment struct {
	// Whether the tool commitments is offered and the open count told.
	Enabled bool `toml:"enabled"`
}

// Web configures webfetch and search.
type Web struct {
	// Hosts that the address screen lets through.
	AllowHosts []string `toml:"allow_hosts"`
	// Search command: query on stdin, JSON lines {title,url,snippet} on stdout.
	Search []string `toml:"search" path:"expand"`
}

// Limits bounds what a session holds and returns.
type Limits struct {
	// Calls that run at once in a session.
	Running int `toml:"running" min:"1" max:"1024"`
	// Whether an exclusive call waits for those before it and runs alone.
	Barrier bool `toml:"barrier"`
	// Characters of a result that the model sees.
	OutputChars int `toml:"output_chars" min:"1000" max:"10000000"`
	// Longest line on the wire, in MiB.
	LineMiB int `toml:"line_mib" min:"1" max:"1024"`
	// Seconds before the host gives a call up. 0: the table by client.
	HostCallSeconds int `toml:"host_call_seconds" min:"0" max:"86400"`
}

// Ledger configures the record of calls.
type Ledger struct {
	// Whether calls are recorded.
	Enabled bool `toml:"enabled"`
	// Folder that holds sessions, pending and scratch. Empty: $XDG_STATE_HOME/raw.
	Folder string `toml:"folder" path:"absolute"`
	// How long sessions are kept.
	Retention Duration `toml:"retention" min:"1h"`
	// Size at which the oldest sessions go, in MiB.
	MaxMiB int `toml:"max_mib" min:"1" max:"1048576"`
	// Names of variables whose values are masked everywhere.
	MaskEnv []string `toml:"mask_env"`
}

// MCP configures raw-mcp's wire and the servers behind it.
type MCP struct {
	// How tools are listed. auto: by client.
	Catalog string `toml:"catalog" oneof:"auto|native|listed|call"`
	// Era of the protocol. legacy: server/discover is answered "method not found".
	Protocol string `toml:"protocol" oneof:"auto|legacy"`
	// Upstream servers by name; their tools are mcp/<name>/<tool>.
	Servers map[string]Server `toml:"servers"`
}

// Server is an upstream MCP server: a command over stdio, or a URL.
type Server struct {
	// Program of a server over stdio.
	Command string `toml:"command" path:"expand"`
	// Arguments of the program.
	Args []string `toml:"args" path:"expand" env:"value"`
	// Variables of the program; env:NAME is read at start.
	Env map[string]string `toml:"env" env:"value"`
	// Address of a server over HTTP, instead of command.
	URL string `toml:"url" env:"value"`
	// Headers of every request to url; env:NAME is read at start.
	Headers map[string]string `toml:"headers" env:"value"`
	// Whether the server is used.
	Enabled bool `toml:"enabled"`
	// Limit of a call; progress from upstream starts it again.
	Timeout Duration `toml:"timeout" min:"1s" max:"1d"`
	// Exact names of tools whose calls may overlap.
	Shared []string `toml:"shared"`
	// Which of the server's tools are taken.
	Tools ServerTools `toml:"tools"`
	// Panels of the server's tools.
	Panels []Panel `toml:"panels"`
}

// ServerTools filters an upstream server's tools by glob over their names.
type ServerTools struct {
	// Tools that are taken. Absent: all.
	Allow []string `toml:"allow"`
	// Tools that are left out, whatever allow says.
	Deny []string `toml:"deny"`
}

// Panel declares a panel of an upstream server's tool.
type Panel struct {
	// Name of the tool that owns the panel.
	Tool string `toml:"tool" required:"true"`
	// Id of the panel, unique within its tool.
	ID string `toml:"id" required:"true"`
	// Title, 1 to 40 characters.
	Title string `toml:"title" required:"true"`
	// Name of an icon; an unknown one is shown as panel.
	Icon string `toml:"icon"`
	// Where the panel is shown.
	Placement string `toml:"placement" oneof:"sidebar|chat"`
	// When a surface may open the panel by itself.
	Open string `toml:"open" oneof:"never|first_update"`
	// What of the panel the model is told.
	Context string `toml:"context" oneof:"none|summary"`
	// Whether the panel is the ACP plan of the session.
	ACPPlan bool `toml:"acp_plan"`
	// What a person can do in the panel, at most 8.
	Actions []Action `toml:"actions"`
}

// Action is something that a person can do in a panel.
type Action struct {
	// Id of the action, unique within its panel.
	ID string `toml:"id" required:"true"`
	// Text of the button, 1 to 32 characters.
	Label string `toml:"label" required:"true"`
	// What the action is offered on.
	Scope string `toml:"scope" oneof:"panel|block|item" required:"true"`
	// Ids of the blocks that it applies to.
	Blocks []string `toml:"blocks"`
	// What the action does.
	Kind string `toml:"kind" oneof:"prompt|tool|response" required:"true"`
	// Text of a prompt.
	Text string `toml:"text"`
	// Whether the client sends the prompt without a further click.
	Send bool `toml:"send"`
	// Arguments of a tool action.
	Arguments map[string]any `toml:"arguments"`
	// What a response action answers.
	Response string `toml:"response" oneof:"submit|cancel"`
	// Whether it is the item's main action.
	Primary bool `toml:"primary"`
	// Question that is put before the action runs.
	Confirm string `toml:"confirm"`
	// When an item action is offered. Absent: always.
	When *ActionWhen `toml:"when"`
}

// ActionWhen limits an item action to items with a status.
type ActionWhen struct {
	// Statuses of the item.
	Status []string `toml:"status"`
}

// ACP configures raw-acp.
type ACP struct {
	// Agent behind the adapter: auto, none, or a name under [agents].
	Agent string `toml:"agent" oneof:"auto|none" or:"agents"`
	// Whether the agent's own permission requests for our tools are answered for it.
	AnswerDownstream bool `toml:"answer_downstream"`
	// Where writes go when the editor offers its buffers.
	WriteThrough string `toml:"write_through" oneof:"disk|editor"`
}

// Agent is an ACP agent for raw-acp and for the agent tool.
type Agent struct {
	// Program of the agent.
	Command string `toml:"command" path:"expand" required:"true"`
	// Arguments of the program.
	Args []string `toml:"args" path:"expand" env:"value"`
	// Variables of the program; env:NAME is read at start.
	Env map[string]string `toml:"env" env:"value"`
	// What the agent is for, as the model reads it.
	Description string `toml:"description"`
	// Whether the agent never writes.
	ReadOnly bool `toml:"read_only"`
	// Whether it is the agent that is meant when none is named.
	Default bool `toml:"default"`
}

// AgentLimits bounds the agent tool.
type AgentLimits struct {
	// Children that run at once.
	Running int `toml:"running" min:"1" max:"128"`
	// Children that run or wait.
	Admitted int `toml:"admitted" min:"1" max:"1024"`
	// How deep children may start children.
	Depth int `toml:"depth" min:"1" max:"3"`
	// How long a child may take, waiting included.
	Deadline Duration `toml:"deadline" min:"1s" max:"1d"`
}

// Log configures the programs' own log.
type Log struct {
	// Least level that is written.
	Level string `toml:"level" oneof:"debug|info|warn|error"`
	// Form of a line.
	Format string `toml:"format" oneof:"text|json"`
	// File to append to. Empty: stderr.
	File string `toml:"file" path:"expand"`
}

// Default is the configuration without a file.
func Default() Config {
	return Config{
		Workspace:   Workspace{Mode: "work", Posture: "ask"},
		Tools:       Tools{CompatNames: true},
		Approval:    Approval{Timeout: Duration(5 * time.Minute)},
		Bash:        Bash{Timeout: Duration(2 * time.Minute), LoginPath: true},
		Commitment:  Commitment{Enabled: true},
		Limits:      Limits{Running: 16, Barrier: true, OutputChars: 30_000, LineMiB: 32},
		Ledger:      Ledger{Enabled: true, Retention: Duration(30 * day), MaxMiB: 512},
		MCP:         MCP{Catalog: "auto", Protocol: "auto"},
		ACP:         ACP{Agent: "auto", AnswerDownstream: true, WriteThrough: "disk"},
		AgentLimits: AgentLimits{Running: 64, Admitted: 1024, Depth: 3, Deadline: Duration(30 * time.Minute)},
		Log:         Log{Level: "info", Format: "text"},
	}
}
