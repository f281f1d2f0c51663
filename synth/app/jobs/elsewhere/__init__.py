"""Public tasks and the machines that do them: this one, those that share a folder, or a cluster.

executor   what all three have in common
choice     which of them was chosen
nofollow   steps on files of a shared folder, none by a link
carrying   public files from one machine to another
attending  a task in a process of its own, watched for whoever waits elsewhere
here       in the process that asks
parcels    a folder that machines share, in which every step is one renaming
folder     posts a parcel there and waits for its answer
worker     takes parcels from there and does them
cluster    a Dask cluster
"""
