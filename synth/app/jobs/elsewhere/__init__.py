"""Run public tasks on this machine, or on machines that share a folder.

executor  the interface of executors, and the executor that works in the calling process
choice    the choice of the executor
nofollow  file operations in a shared folder that never follow a link
carrying  copying public files from one machine to another
parcels   a folder that machines share, in which every step is one rename
folder    posting a parcel in the folder and waiting for its result
worker    taking parcels from the folder and running their tasks
"""
