package zzglob

import (
	"errors"
	"regexp"
	"strings"
)

// unbounded is the depth of a pattern that can match any number of "/".
const unbounded = -1

type kind int

const (
	literal      kind = iota // one character
	anyChar                  // ?    one character, not "/"
	star                     // *    characters other than "/"
	doubleStar               // **   any characters
	set                      // [ab] or [^ab]
	alternatives             // {a,b}
)

type node struct {
	kind    kind
	char    rune
	chars   []rune   // of a set
	negated bool     // of a set
	options [][]node // of alternatives
}

type reader struct {
	text []rune
	at   int
}

func (r *reader) done() bool { return r.at >= len(r.text) }

func (r *reader) next() rune {
	char := r.text[r.at]
	r.at++
	return char
}

// sequence reads up to the end of the pattern or, inside braces, up to the "," or "}" that ends an alternative.
func (r *reader) sequence(inBraces bool) ([]node, error) {
	var nodes []node
	for !r.done() {
		if char := r.text[r.at]; inBraces && (char == ',' || char == '}') {
			return nodes, nil
		}
		read, err := r.node()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, read)
	}
	if inBraces {
		return nil, errors.New("unterminated {")
	}
	return nodes, nil
}

func (r *reader) node() (node, error) {
	switch char := r.next(); char {
	case '?':
		return node{kind: anyChar}, nil
	case '*':
		if !r.done() && r.text[r.at] == '*' {
			r.at++
			return node{kind: doubleStar}, nil
		}
		return node{kind: star}, nil
	case '[':
		return r.set()
	case '{':
		return r.alternatives()
	case '\\':
		if r.done() {
			return node{}, errors.New("nothing follows the last \\")
		}
		return node{kind: literal, char: r.next()}, nil
	default:
		return node{kind: literal, char: char}, nil
	}
}

// set reads what follows "[". There are no ranges: "-" is itself, and so is "!".
func (r *reader) set() (node, error) {
	result := node{kind: set}
	if !r.done() && r.text[r.at] == '^' {
		r.at++
		result.negated = true
	}
	for !r.done() {
		char := r.next()
		if char == ']' {
			if len(result.chars) == 0 {
				return node{}, errors.New("empty []")
			}
			return result, nil
		}
		if char == '\\' && !r.done() {
			char = r.next()
		}
		result.chars = append(result.chars, char)
	}
	return node{}, errors.New("unterminated [")
}

// alternatives reads what follows "{".
func (r *reader) alternatives() (node, error) {
	result := node{kind: alternatives}
	for {
		option, err := r.sequence(true)
		if err != nil {
			return node{}, err
		}
		result.options = append(result.options, option)
		if r.next() == '}' {
			return result, nil
		}
	}
}

// expression writes nodes as a regular expression. fresh says whether a path segment starts where they start,
// the second result whether one starts where they end: there, "**/" matches no directory, too.
func expression(nodes []node, fresh bool) (string, bool) {
	var out strings.Builder
	for at := 0; at < len(nodes); at++ {
		current := nodes[at]
		switch current.kind {
		case literal:
			out.WriteString(regexp.QuoteMeta(string(current.char)))
		case anyChar:
			out.WriteString("[^/]")
		case star:
			out.WriteString("[^/]*")
		case doubleStar:
			if fresh && at+1 < len(nodes) && nodes[at+1].isSlash() {
				out.WriteString("(?:.*/)?")
				at++
				continue // still where a segment starts
			}
			out.WriteString(".*")
		case set:
			out.WriteString(current.setExpression())
		case alternatives:
			var joined string
			joined, fresh = alternation(current.options, fresh)
			out.WriteString(joined)
			continue
		}
		fresh = current.isSlash()
	}
	return out.String(), fresh
}

func alternation(options [][]node, fresh bool) (string, bool) {
	written := make([]string, len(options))
	allFresh := true
	for i, option := range options {
		text, optionFresh := expression(option, fresh)
		written[i] = text
		allFresh = allFresh && optionFresh
	}
	return "(?:" + strings.Join(written, "|") + ")", allFresh
}

func (n node) isSlash() bool { return n.kind == literal && n.char == '/' }

func (n node) setExpression() string {
	var out strings.Builder
	out.WriteString("[")
	if n.negated {
		out.WriteString("^")
	}
	for _, char := range n.chars {
		if strings.ContainsRune(`\]^-[`, char) {
			out.WriteRune('\\')
		}
		out.WriteRune(char)
	}
	out.WriteString("]")
	return out.String()
}

// slashes counts the "/" in the longest match of nodes, or says unbounded.
func slashes(nodes []node) int {
	total := 0
	for _, current := range nodes {
		most := 0
		switch current.kind {
		case literal:
			if current.char == '/' {
				most = 1
			}
		case doubleStar:
			return unbounded
		case set:
			if current.negated || strings.ContainsRune(string(current.chars), '/') {
				most = 1
			}
		case alternatives:
			for _, option := range current.options {
				count := slashes(option)
				if count == unbounded {
					return unbounded
				}
				most = max(most, count)
			}
		}
		total += most
	}
	return total
}

func build(nodes []node) *Pattern {
	text, _ := expression(nodes, true)
	var prefix []rune
	for _, current := range nodes {
		if current.kind != literal {
			break
		}
		prefix = append(prefix, current.char)
	}
	pattern := &Pattern{
		matcher: regexp.MustCompile(`\A(?s:` + text + `)\z`),
		root:    string(prefix),
		literal: len(prefix) == len(nodes),
	}
	if !pattern.literal {
		pattern.root = pattern.root[:strings.LastIndex(pattern.root, "/")+1]
		pattern.depth = slashes(nodes[len([]rune(pattern.root)):])
	}
	return pattern
}
