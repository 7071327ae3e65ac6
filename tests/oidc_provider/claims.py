"""What the provider of the tests tells about its people, besides who they are."""

from __future__ import annotations

from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator


class Claims(OAuth2Validator):
    def get_additional_claims(self, request: Any) -> dict[str, Any]:
        return {"email": request.user.email, "preferred_username": request.user.username}
