// Package zzglob stands in for the module of that name; README.md says when and why.
package zzglob

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Pattern is a parsed glob. It matches whole paths, case-sensitively, with "/" between segments.
type Pattern struct {
	matcher *regexp.Regexp
	root    string // the literal directories that every match starts with, "" where there are none
	literal bool   // no wildcard at all: root is the one path that can match
	depth   int    // how many "/" may follow root in a match, unbounded where any number may
}

// ParseOption changes how Parse reads a pattern.
type ParseOption func(*parseOptions)

type parseOptions struct {
	expandTilde bool
}

// ExpandTilde says whether a leading "~/" stands for the home directory (the default) or for itself.
func ExpandTilde(enable bool) ParseOption {
	return func(o *parseOptions) { o.expandTilde = enable }
}

// Parse reads a glob. It fails on an unfinished "{", "[" or "\", and on an empty "[]".
func Parse(pattern string, options ...ParseOption) (*Pattern, error) {
	chosen := parseOptions{expandTilde: true}
	for _, option := range options {
		option(&chosen)
	}
	home := ""
	if rest, found := strings.CutPrefix(pattern, "~/"); found && chosen.expandTilde {
		directory, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("expanding ~: %w", err)
		}
		home, pattern = strings.TrimSuffix(directory, "/")+"/", rest
	}
	parsed, err := (&reader{text: []rune(pattern)}).sequence(false)
	if err != nil {
		return nil, err
	}
	var nodes []node
	for _, char := range home {
		nodes = append(nodes, node{kind: literal, char: char})
	}
	nodes = append(nodes, parsed...)
	return build(nodes), nil
}

// Match reports whether the whole of path matches.
func (p *Pattern) Match(path string) bool {
	return p.matcher.MatchString(path)
}
