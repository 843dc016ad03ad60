"""How does a program read as text?"""
