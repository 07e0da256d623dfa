"""features/profile/memory"""
