from __future__ import annotations

from django.db import models

from datasets.formats import Format, find_format


class Dataset(models.Model):
    """The original of a round: public files in the entries store, and facts about them.

    `files` names them as their format does; a format without a master table leaves `master_sha256` empty.
    """

    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    format = models.CharField(max_length=20, default="2016", db_default="2016")
    master_sha256 = models.CharField(max_length=64, blank=True)
    transactions_sha256 = models.CharField(max_length=64)
    knowledge = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="Files that attackers are told beside the tables.",
    )
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
                fields=["name", "format", "master_sha256", "transactions_sha256"],
                name="dataset_once_a_format",
            ),
            models.CheckConstraint(condition=models.Q(n_customers__gt=0), name="dataset_has_customers"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def spec(self) -> Format:
        return find_format(self.format)

    @property
    def files(self) -> dict[str, str]:
        """The public files by name, and their hashes."""
        return (
            named_files(self.spec.data_files, self.master_sha256, self.transactions_sha256) | self.knowledge
        )


def named_files(names: tuple[str, ...], master: str, transactions: str) -> dict[str, str]:
    """Which hash belongs to which file: the last is the transactions', the one before it the master's."""
    return dict(zip(names, (master, transactions)[-len(names) :], strict=True))
