"""The pages: thin views over the rows, rendered on the server."""
