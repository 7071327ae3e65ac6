from __future__ import annotations

from django.db import models


class Dataset(models.Model):
    """M and T of a round: public files in the entries store, and facts about them."""

    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    master_sha256 = models.CharField(max_length=64)
    transactions_sha256 = models.CharField(max_length=64)
    n_customers = models.PositiveIntegerField()
    n_rows = models.PositiveIntegerField()
    n_items = models.PositiveIntegerField()
    n_receipts = models.PositiveIntegerField()
    first_day = models.DateField()
    last_day = models.DateField()
    source = models.JSONField(
        default=dict,
        blank=True,
        help_text="How it was made, as its bundle says, and its files.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["name", "master_sha256", "transactions_sha256"], name="dataset_once"
            ),
            models.CheckConstraint(condition=models.Q(n_customers__gt=0), name="dataset_has_customers"),
        ]

    def __str__(self) -> str:
        return self.name
