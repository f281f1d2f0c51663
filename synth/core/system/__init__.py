"""Describe the machine: folders, addresses of tables, disks and devices."""
