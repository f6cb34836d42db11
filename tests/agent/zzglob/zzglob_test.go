package zzglob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func mustParse(t *testing.T, pattern string, options ...ParseOption) *Pattern {
	t.Helper()
	parsed, err := Parse(pattern, options...)
	if err != nil {
		t.Fatalf("Parse(%q): %v", pattern, err)
	}
	return parsed
}

func TestMatch(t *testing.T) {
	for _, test := range []struct{ pattern, matches, others string }{
		{"app", "app", "app/x xapp APP"},
		{"app/", "app/", "app app/x"},
		{"app/**", "app/x app/x/y app/.z", "app xapp/x"},
		{"./app/**", "./app/x", "app/x"},
		{"/app/**", "/app/x", "app/x"},
		{"a?c", "abc a.c", "ac a/c abbc"},
		{"*.py", "x.py .py .x.py", "d/x.py x.pyc"},
		{"**.go", "x.go a/x.go a/b/x.go", "x.gox"},
		{"**/*.go", "x.go a/x.go a/b/x.go", "x.gox"},
		{"**foo", "foo xfoo a/foo a/xfoo", "foox"},
		{"**/foo", "foo a/foo a/b/foo", "xfoo a/xfoo"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb x/a/b"},
		{"a/**", "a/b a/b/c", "a"},
		{"a**/b", "a/b ax/b a/x/b", "ab"},
		{"{a,b}.py", "a.py b.py", "c.py ab.py"},
		{"{a,b{c,d}}", "a bc bd", "b bcd"},
		{"a{,x}", "a ax", "axx"},
		{"{**/,x/}foo", "foo a/foo x/foo", "xfoo"},
		{"{a,b}/**/c", "a/c b/x/c", "c a/c/x"},
		{"{a/,b/}**/c", "a/c b/c b/x/c", "c"},
		{"[abc]", "a c", "d ab"},
		{"[^abc]", "d /", "a dd"},
		{"[a-c]", "a - c", "b"},
		{"[!a]", "! a", "b"},
		{"[a^]", "a ^", "b"},
		{`[\]\\]`, `] \`, "a"},
		{`\*`, "*", "a"},
		{`a\{b`, "a{b", "ab"},
		{"**.go,go.mod", "x.go,go.mod", "x.go go.mod"},
		{"a.b", "a.b", "axb"},
		{"é*", "éx", "ex"},
	} {
		pattern := mustParse(t, test.pattern)
		for _, path := range strings.Fields(test.matches) {
			if !pattern.Match(path) {
				t.Errorf("%q does not match %q", test.pattern, path)
			}
		}
		for _, path := range strings.Fields(test.others) {
			if pattern.Match(path) {
				t.Errorf("%q matches %q", test.pattern, path)
			}
		}
	}
	if !mustParse(t, "{a, b}").Match(" b") || mustParse(t, "{a, b}").Match("b") {
		t.Error("white space in braces is not significant")
	}
	if !mustParse(t, "**").Match("") || !mustParse(t, "**").Match("a\nb") {
		t.Error("** does not match everything")
	}
}

func TestParseErrors(t *testing.T) {
	for _, pattern := range []string{"{a", "{a,b", "{a{b}", "[a", "[^", "[]", `a\`} {
		if _, err := Parse(pattern); err == nil {
			t.Errorf("Parse(%q) succeeds", pattern)
		}
	}
}

func TestExpandTilde(t *testing.T) {
	t.Setenv("HOME", "/home/{me}")
	if !mustParse(t, "~/x").Match("/home/{me}/x") {
		t.Error("~/ is not the home directory")
	}
	if !mustParse(t, "~/x", ExpandTilde(false)).Match("~/x") {
		t.Error("~/ is not itself")
	}
}

func tree(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, path := range []string{"top.txt", ".dot.txt", "d/a.txt", "d/b.log", "d/e/c.txt", "other/f.txt"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"d/loop": "..", "link": "d/e"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
}

func globbed(t *testing.T, pattern string, options ...GlobOption) string {
	t.Helper()
	var found []string
	err := mustParse(t, pattern).Glob(func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			path += " (error)"
		}
		found = append(found, path)
		return nil
	}, options...)
	if err != nil {
		t.Fatalf("Glob(%q): %v", pattern, err)
	}
	return strings.Join(found, " ")
}

func TestGlob(t *testing.T) {
	tree(t)
	for pattern, want := range map[string]string{
		"*.txt":       ".dot.txt top.txt",
		"**/*.txt":    ".dot.txt d/a.txt d/e/c.txt other/f.txt top.txt",
		"d/*.txt":     "d/a.txt",
		"./d/*.txt":   "./d/a.txt",
		"{d,other}/*": "d/a.txt d/b.log d/e d/loop other/f.txt",
		"d/e/c.txt":   "d/e/c.txt",
		"d":           "d",
		"nothing*":    "",
		"gone":        "gone (error)",
		"gone/*":      "gone (error)",
		"top.txt/*":   "",
	} {
		if got := globbed(t, pattern, TraverseSymlinks(false)); got != want {
			t.Errorf("Glob(%q) found %q, want %q", pattern, got, want)
		}
	}
	if got, want := globbed(t, "{link,d/loop}/*.txt"), "link/c.txt"; got != want {
		t.Errorf("through links: %q, want %q", got, want)
	}
	if got, want := globbed(t, "**/c.txt"), "d/e/c.txt link/c.txt"; got != want {
		t.Errorf("through links: %q, want %q", got, want)
	}
	if got, want := globbed(t, "d/*/c.txt", WalkIntermediateDirs(true), TraverseSymlinks(false)), "d d/e d/e/c.txt"; got != want {
		t.Errorf("with directories: %q, want %q", got, want)
	}
}

func TestGlobAbsolute(t *testing.T) {
	tree(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := globbed(t, here+"/d/**.log", TraverseSymlinks(false)), here+"/d/b.log"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestMultiGlob(t *testing.T) {
	tree(t)
	patterns := []*Pattern{mustParse(t, "**/a.*"), mustParse(t, "d/*"), mustParse(t, "*.txt")}
	var found []string
	collect := func(path string, _ fs.DirEntry, _ error) error {
		found = append(found, path)
		return nil
	}
	if err := MultiGlob(context.Background(), patterns, collect, TraverseSymlinks(false)); err != nil {
		t.Fatal(err)
	}
	want := []string{"d/a.txt", "d/b.log", "d/e", "d/loop", ".dot.txt", "top.txt"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := MultiGlob(ended, patterns, collect); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}

	found = nil
	stop := func(path string, _ fs.DirEntry, _ error) error {
		found = append(found, path)
		return fs.SkipAll
	}
	if err := MultiGlob(context.Background(), patterns, stop); err != nil || len(found) != 1 {
		t.Errorf("after SkipAll: %q, %v", found, err)
	}
}
