"""Running an installation: processes, health, heartbeats, metrics, logs, doctor, backup."""
