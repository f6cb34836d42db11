"""From YAML to typed values: located nodes, the schema that reads them, and the workspace they make up."""
