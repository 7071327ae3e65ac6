"""Search that the methods of shops share."""
