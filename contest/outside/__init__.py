"""What leaves the installation: mail, webhooks, the event feed, and HTTP to addresses of strangers."""
