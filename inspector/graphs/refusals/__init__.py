"""The refusals of Inductor's scheduler, by the file of torch that gives them."""
