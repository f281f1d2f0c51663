"""Find folders, addresses of tables, kinds of disks, and devices on this machine."""
