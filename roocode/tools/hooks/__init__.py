"""A person's hooks: events, conditions, actions, and what runs them."""
