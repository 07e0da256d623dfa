"""features/profile/gains"""
