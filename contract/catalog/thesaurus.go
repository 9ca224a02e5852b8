package catalog

import "strings"

// verbs and nouns are what people say and how tools call it. What stands before a
// colon is only said; without a colon each word stands for the others. A + joins
// the words of a phrase. They are general words: a server's own belong into its
// descriptions.
const verbs = `
delete remove erase drop
destroy purge wipe trash discard get+rid throw+away take+away: delete remove drop
clean cleanup clear
uninstall: remove delete
forget: delete remove
create make
new add: create
another+name new+name different+name: rename
look+like: show
generate produce build draw: create write generate
draft compose: create write
add append insert attach
put place: add append insert move
raise propose: create
open+pr: create+pull+request create+merge+request
open+mr: create+merge+request create+pull+request
open+issue open+bug: create+issue
mkdir: create+directory
ls: list+directory
mv: move+file
rm: delete
cat: read+file
cp: copy
remember memorize: add create memory
recall: search memory
show display view get read
print: show get output
look+at: read view get
fetch load: get read
download pull+down: fetch get export clone
retrieve: get
list enumerate
find search lookup
look look+up look+for seek locate discover hunt: find search
grep: search
inspect examine explore: get describe analyze
describe explain
check verify: get status validate
validate lint: check validate
compare: diff
update edit modify change
replace swap rewrite substitute: edit update replace
fix correct: edit update
rename: move update
set configure adjust: update set
set+up: create install configure
relocate: move
copy duplicate mirror: clone copy crawl
combine join land integrate: merge
split break: create subtask split
run execute
run execute: start evaluate trigger
start launch begin kick+off: start run trigger create
invoke call trigger: run trigger
retry redo rerun: rerun
restart reboot: restart rollout
stop kill terminate abort end
cancel stop
shut+down: stop terminate close
shut dismiss: close
dismiss: dialog
call+off: cancel
quit exit: close stop
send post
publish: post push create
post: create send
tell notify inform announce: send post message
reply answer respond comment
respond: reply
write save store
save dump: export write
open visit browse go: navigate open
press tap hit: click press key
type enter: type fill
select choose pick
select: query
mark: update set
bring+up up+to+date sync refresh: update pull
reschedule postpone delay: update
new+version: upgrade update
another extra additional: create add
google bing: web+search
wipe: clean
about: search
hover
switch: checkout select switch
undo revert roll+back: reset rollout revert undo
upload: push upload
upload attach
hand+over assign: update assign
approve: review approve
reject decline: review
close finish complete resolve: update status
reopen: update
watch observe track keep+eye: monitor create
tell+when alert+when notify+when: monitor
mute silence snooze: mute downtime
convert transform turn+into: parse convert
translate: convert
parse extract
scrape: extract scrape
simulate pretend mimic: emulate
measure profile benchmark: performance trace metrics
compute calculate: evaluate sum
capture: screenshot snapshot
debug diagnose troubleshoot investigate: analyze logs debug
investigation: research
cite citation: related
count how+many
how+big how+large how+much: size count usage
how+far: distance
sum total: aggregate count sum
think reason ponder: thinking
plan: thinking plan
connect login log+in sign+in: connect auth
zip compress: gzip compress
unpack decompress: extract
deploy: apply rollout run deploy
install
`

const nouns = `
directory folder
space: size storage
disk: file storage directory
where may permitted: allowed
who author: user blame
person people member account human colleague teammate: user
me myself: self
remark note feedback: comment
fact: observation
thing: entity
repo: repository project
repository project
ticket bug defect: issue
pr pull+request: pull+request merge+request
mr merge+request: merge+request pull+request
patch: diff
revision version: commit tag version
release milestone: tag
history: log commits history
before earlier past: history log
symbol function identifier: code
relationship link: relation
discussion: comment thread story
uncommitted: diff status stash
parallel simultaneous same+time: worktree
version+control: git
workspace team
picture photo drawing: image screenshot
image picture
film clip movie: video screencast
db: database
table: collection database source
row record entry: document row
column field: schema field
url link: url page
site website: site website page
whole+site entire+site whole+website: crawl
regular+expression regexp: regex pattern
picture+of image+of: image+search screenshot
big large biggest largest: size
nested recursive overview: tree
spec: schema explain documentation
size: stats storage
http traffic: network request
gps position: coordinates location geocode
ctrl alt shift escape: key press
cursor pointer point tooltip: hover
picker: upload
webpage: page url
web internet online: web search
news headline: news
article: content page
docs manual documentation: documentation docs
config settings preferences: configuration setting config
env: environment
error failure exception crash fault
problem mistake: issue error
fail break: failure error
message text
chat conversation: channel message thread
content body text
say: content read
ci: pipeline workflow job
build: pipeline job
green red passing: status
unreliable unstable intermittent sporadic random now+and+then: flaky
result outcome: result status
state status
finished done progress: status complete
layout structure hierarchy: tree structure
pod container deployment: kubernetes kubectl pod container deployment
k8s kube: kubernetes kubectl
cluster: kubernetes kubectl
workload: deployment pod
instance: pod host node replica scale
server machine box: host
maintenance: drain downtime
alarm alert warning: monitor
outage: incident
graph chart: metric dashboard
cpu usage: metric usage
remaining budget price cost: usage credit
real+user visitor: rum
localhost: port local
label tag
category: label tag
email mail
dropdown: select option
popup modal: dialog
tab window: page tab
button link: element click
viewport window: resize page
phone mobile: emulate
dark light theme: scheme
slow performance speed latency: performance trace
javascript js: script javascript
style: css
sql: query
shell: command process exec
terminal: command process session
program app application: process application
background job: process
stdout: output
todo chore: task
smaller piece part child: subtask
blocked prerequisite: dependency
board: dashboard section
column: section
design mockup: figma design
icon: image
paper study: paper research
place restaurant shop: place local
location coordinates latitude longitude: geocode coordinates
address
route way drive walk: direction
travel trip: distance direction
height altitude: elevation
library package framework: library package
aside shelve: stash
single: pick
memory: heap memory
info: information details describe
details: describe
statistics stats
`

// reads and changes are verbs in names of tools that do one or the other.
const (
	reads   = "get list read search find query show view describe"
	changes = `
create update delete remove drop add set insert write edit post patch push merge move rename append
commit clean reset kill fill click cancel stop close schedule mute unmute install uninstall upgrade fork toggle trigger run start
`
)

// asking are the words that questions begin with.
const asking = "what which who whom whose when where why how is are was were do did does has have can"

// ignored are words that say nothing about a task.
const ignored = `
a an the this that these those it its is are was were be been am do does did
i me my we our us you your he she they them their his her let
to of in on at by for from with into onto out as and or if so than then there here
what which who whom whose when where why how
can could may might shall should will would must have has had having
take takes taken give gives given one two three several many few want need please just only some any every each all up down over now again
latest newest recent current last lately
`

// thesaurus knows the readings of words and phrases, and kinds of words.
type thesaurus struct {
	readings map[string][]reading // by stems, a blank between those of a phrase
	phrased  map[string]bool      // words of phrases
	verbs    map[string]bool      // stems

	reading, changing map[string]bool // stems
	ignored, asking   map[string]bool
}

func newThesaurus() *thesaurus {
	same := func(word string) string { return word }
	t := &thesaurus{
		readings: map[string][]reading{},
		phrased:  map[string]bool{},
		reading:  setOf(reads, stem),
		changing: setOf(changes, stem),
		verbs:    setOf(reads, stem),
		ignored:  setOf(ignored, same),
		asking:   setOf(asking, same),
	}
	for i, table := range []string{verbs, nouns} {
		for line := range strings.Lines(table) {
			left, right, oneWay := strings.Cut(line, ":")
			if !oneWay {
				right = left
			}
			for said := range strings.FieldsSeq(left) {
				key := t.add(strings.Split(said, "+"), strings.Fields(right))
				if i == 0 {
					t.verbs[key] = true
				}
			}
		}
	}
	return t
}

func setOf(text string, form func(string) string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		all[form(word)] = true
	}
	return all
}

func (t *thesaurus) add(said, meant []string) (key string) {
	key = strings.Join(stems(said), " ")
	if len(said) > 1 {
		for _, word := range said {
			t.phrased[word] = true
		}
	}
	for _, other := range meant {
		terms := stems(strings.Split(other, "+"))
		switch itself := strings.Join(terms, " ") == key; {
		case !itself:
			t.readings[key] = append(t.readings[key], reading{terms, synonymWeight})
		case len(terms) > 1:
			t.readings[key] = append(t.readings[key], reading{terms, 1})
		}
	}
	return key
}

// longest is how many words at the beginning are one phrase, and its key.
func (t *thesaurus) longest(said []string) (n int, key string) {
	for n = min(3, len(said)); n > 1; n-- {
		key = strings.Join(stems(said[:n]), " ")
		if t.readings[key] != nil {
			return n, key
		}
	}
	return 1, stem(said[0])
}

func stems(words []string) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = stem(w)
	}
	return all
}
