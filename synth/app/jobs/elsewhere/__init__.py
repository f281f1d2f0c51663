"""Run public tasks on this machine, or on machines that share a folder.

executor the interface of executors, and the executor that works in the calling process choice choose the
executor nofollow file operations in a shared folder that never follow a link carrying copy public files from
one machine to another parcels a folder that machines share, in which every step is one rename folder post a
parcel into the folder and wait for its result worker take parcels from the folder and do them
"""
