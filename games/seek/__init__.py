"""What contests without a hiding phase share: statistics of membership, house attacks, boards."""
