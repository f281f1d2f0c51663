"""Tables drawn as maps. This room is told codes and never whose; what may be shown is its caller's duty."""
