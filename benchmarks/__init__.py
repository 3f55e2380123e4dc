"""What things cost, printed by commands: `make bench`. Figures in the docs come from here."""
