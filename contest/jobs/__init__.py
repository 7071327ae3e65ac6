"""Work: the queue of job rows, who is served next, and how long it takes."""
