"""features/profile/kernel_bench"""
