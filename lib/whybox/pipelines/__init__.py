"""The verbs: each module's ``run(config, progress=...)`` does one, for the command line and jobs."""
