"""Pages: load the object for this user, validate the form, call one service, render."""
