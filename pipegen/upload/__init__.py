"""What goes up in one build: the pipeline cut into batches, what a retry needs to know, and how the agent answers.

Pure, as all stages are; `pipegen.app.upload` runs the agent.
"""
