"""MIDST: which rows trained the generator of a synthetic bank table? One ROC over all models of a type."""
