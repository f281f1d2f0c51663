"""Public tasks and the machines that do them: this one, or those that share a folder.

executor   what both share, and the one in the process that asks
choice     which of them was chosen
nofollow   file operations in a shared folder that never follow a link
carrying   public files from one machine to another
parcels    a folder that machines share, in which every step is one rename
folder     posts a parcel there and waits for its answer
worker     takes parcels from there and does them
"""
