from .layers import conv_block
