"""Which tests a job's commands run: shell text is read as a shell would read it, and what cannot be read is said.

`CommandReader` reads commands; `Collector` says which files a run collects.
"""
