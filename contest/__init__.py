"""The contest itself: models, the services that change them, access, pages."""
