"""What several methods share: the base class, measuring, the split of the budget, generators that follow."""
