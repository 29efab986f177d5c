"""Parts of the simulator: structures, potentials, networks, sampling, diagnosis.

`ibmap.simulate` is the public face.
"""
