"""What is done with facts as a whole: forgetting them everywhere, reviewing them."""
