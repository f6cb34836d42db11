package zzglob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// GlobOption changes how Glob and MultiGlob walk.
type GlobOption func(*globOptions)

type globOptions struct {
	intermediateDirs bool
	traverseSymlinks bool
}

// WalkIntermediateDirs says whether the callback also gets the directories walked on the way to matches (default: no).
func WalkIntermediateDirs(enable bool) GlobOption {
	return func(o *globOptions) { o.intermediateDirs = enable }
}

// TraverseSymlinks says whether symbolic links to directories are descended into (default: yes).
func TraverseSymlinks(enable bool) GlobOption {
	return func(o *globOptions) { o.traverseSymlinks = enable }
}

// Glob calls walk for every existing path that matches, written as the pattern writes it, in lexical order.
// Errors of the file system go to walk. fs.SkipDir and fs.SkipAll mean what they mean to fs.WalkDir.
func (p *Pattern) Glob(walk fs.WalkDirFunc, options ...GlobOption) error {
	walker := &walker{pattern: p, walk: walk, options: globOptions{traverseSymlinks: true}}
	for _, option := range options {
		option(&walker.options)
	}
	err := walker.start()
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		return nil
	}
	return err
}

// MultiGlob is Glob for several patterns, one after the other, until ctx ends. A path that matches more than one is
// given to walk once.
func MultiGlob(ctx context.Context, patterns []*Pattern, walk fs.WalkDirFunc, options ...GlobOption) error {
	seen := make(map[string]bool)
	skipAll := false
	once := func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if seen[path] {
			return nil
		}
		seen[path] = true
		result := walk(path, entry, err)
		skipAll = skipAll || errors.Is(result, fs.SkipAll)
		return result
	}
	for _, pattern := range patterns {
		if err := ctx.Err(); err != nil || skipAll {
			return err
		}
		if err := pattern.Glob(once, options...); err != nil {
			return err
		}
	}
	return nil
}

type walker struct {
	pattern *Pattern
	walk    fs.WalkDirFunc
	options globOptions
	above   []fs.FileInfo // the directories being walked: a link back to one of them is not followed
}

func (w *walker) start() error {
	root := w.pattern.root
	if w.pattern.literal {
		found, err := os.Lstat(root)
		if err != nil {
			return w.walk(root, nil, err)
		}
		return w.walk(root, fs.FileInfoToDirEntry(found), nil)
	}
	shown := strings.TrimSuffix(root, "/")
	if root == "/" {
		shown = root
	}
	if root == "" {
		shown = "."
	}
	found, err := os.Stat(shown)
	if err != nil {
		return w.walk(shown, nil, err)
	}
	entry := fs.FileInfoToDirEntry(found)
	if w.options.intermediateDirs {
		if err := w.walk(shown, entry, nil); err != nil {
			return err
		}
	}
	if !found.IsDir() {
		return nil
	}
	return w.directory(shown, root, entry, 0)
}

// directory walks what is in a directory; prefix is what its entries' paths start with.
func (w *walker) directory(path, prefix string, entry fs.DirEntry, depth int) error {
	itself, err := os.Stat(path)
	if err != nil {
		return w.walk(path, entry, err)
	}
	for _, outer := range w.above {
		if os.SameFile(outer, itself) {
			return nil
		}
	}
	w.above = append(w.above, itself)
	defer func() { w.above = w.above[:len(w.above)-1] }()

	entries, err := os.ReadDir(path)
	if err != nil {
		return w.walk(path, entry, err)
	}
	for _, child := range entries {
		err := w.entry(prefix+child.Name(), child, depth)
		if errors.Is(err, fs.SkipDir) {
			if w.isDirectory(prefix+child.Name(), child) {
				continue // skips that directory alone
			}
			return nil // of a file: skips the rest of the directory
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(path string, entry fs.DirEntry, depth int) error {
	isDirectory := w.isDirectory(path, entry)
	if w.pattern.Match(path) || (isDirectory && w.options.intermediateDirs) {
		if err := w.walk(path, entry, nil); err != nil {
			return err
		}
	}
	if !isDirectory || (w.pattern.depth != unbounded && depth >= w.pattern.depth) {
		return nil
	}
	return w.directory(path, path+"/", entry, depth+1)
}

func (w *walker) isDirectory(path string, entry fs.DirEntry) bool {
	if entry.IsDir() {
		return true
	}
	if entry.Type()&fs.ModeSymlink == 0 || !w.options.traverseSymlinks {
		return false
	}
	target, err := os.Stat(path)
	return err == nil && target.IsDir()
}
