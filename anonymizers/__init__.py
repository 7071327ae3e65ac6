"""House anonymizers: from M and T to M′, T′ and the truth; and from any table to a protected one."""
