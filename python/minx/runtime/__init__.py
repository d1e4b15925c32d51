"""libminx, called by ctypes: contexts and views."""
