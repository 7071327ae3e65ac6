"""All changes of state. A service writes the change and its audit row in one transaction."""
