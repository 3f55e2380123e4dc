"""Repair of intents: goals, slots, plans, users. Texts of conditions are edited elsewhere."""
